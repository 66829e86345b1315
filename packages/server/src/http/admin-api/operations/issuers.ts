/** Operations on issuers whose assertions the server trusts (RFC 7521 §3), and on the links of their subjects. */

import { type Static, Type } from "typebox";
import { impactOfIssuer } from "../../../admin/deletion-impact.ts";
import { issuerImpactRecord } from "../../../admin/impact-records.ts";
import { issuerRecord, subjectLinkRecord } from "../../../admin/output-records.ts";
import { linkPage, linkSubject, unlinkSubject } from "../../../admin/subject-links.ts";
import {
  allIssuers,
  changeIssuer,
  createIssuer,
  deleteIssuer,
  type IssuerKeys,
  type IssuerSettings,
  issuerOf,
  issuerRemarks,
  MAX_ASSERTION_LIFETIME,
} from "../../../admin/trusted-issuers.ts";
import type { TrustedIssuer } from "../../../oauth/trusted-issuer.ts";
import { Cursors, DEFAULT_LIMIT, listQuery, pageInMemory, pageOf } from "../lists.ts";
import { at, operation, reads, writes } from "../operation.ts";
import { refuseFields } from "../problem.ts";
import * as records from "../records.ts";
import {
  body,
  given,
  ids,
  notesIn,
  oneOf,
  orNull,
  record,
  remarksIn,
  scopeText,
  text,
  texts,
  withNotes,
  words,
} from "../schemas.ts";

const maybe = Type.Optional;
/** Of a PEM file or of metadata. The body as a whole is smaller. */
const DOCUMENT = 60_000;

const keys = {
  jwks: maybe(
    Type.Object(
      { keys: Type.Array(Type.Object({}), { maxItems: 20 }) },
      { additionalProperties: false, description: "JWT, ID-JAG: its public keys" },
    ),
  ),
  jwks_uri: maybe(text(2048, "JWT, ID-JAG: address of its public keys")),
  certificate: maybe(text(DOCUMENT, "SAML: certificates in PEM")),
  saml_metadata: maybe(text(DOCUMENT, "SAML: its metadata, which contain the certificates")),
};

const settings = {
  scope: maybe(scopeText("scopes that its assertions may request")),
  clients: maybe(texts(200, 200, "clients that may use its assertions; empty: any client with the grant type")),
  audience: maybe(orNull(text(1024), "another name of this server as the audience")),
  max_lifetime: maybe(Type.Integer({ minimum: 1, maximum: MAX_ASSERTION_LIFETIME, description: "seconds" })),
  map_subject: maybe(oneOf(["username", "email", "id", "link"], "how its subjects identify an owner")),
  subject_claim: maybe(
    orNull(text(256), "the claim or SAML attribute that holds the subject; null: sub, or the NameID"),
  ),
  email_domains: maybe(texts(200, 255)),
  subjects: maybe(texts(200, 254, "subjects that its assertions may name, or @domain; empty: any")),
  create_owners: maybe(Type.Boolean()),
  token_exchange: maybe(Type.Boolean({ description: "clients may exchange its JWTs (RFC 8693)" })),
  company: maybe(
    orNull(
      ids,
      "ID-JAG: the id of the company for whose members alone it speaks (in a configuration, the slug or the id); null: for everybody",
    ),
  ),
  tenant: maybe(orNull(text(255), "ID-JAG: the value that the claim tenant must have; null: none")),
  status: maybe(oneOf(["active", "disabled"])),
};

const newIssuer = body(
  { issuer: text(1024), type: oneOf(["jwt", "saml", "id-jag"]), ...keys, ...settings },
  { issuer: "https://idp.example.com", type: "jwt", jwks_uri: "https://idp.example.com/jwks" },
);
const issuerChanges = body({ ...keys, ...settings });

function settingsIn(asked: Static<typeof issuerChanges>): IssuerSettings {
  const scopes = words(asked.scope);
  return given({
    scopes: scopes === undefined ? undefined : [...new Set(scopes)],
    clients: asked.clients,
    audience: asked.audience,
    maxLifetime: asked.max_lifetime,
    mapSubject: asked.map_subject,
    subjectClaim: asked.subject_claim,
    emailDomains: asked.email_domains,
    subjects: asked.subjects,
    createOwners: asked.create_owners,
    exchange: asked.token_exchange,
    company: asked.company,
    tenant: asked.tenant,
    status: asked.status,
  });
}

/** The one source of keys that the body names. */
function keysIn(asked: Static<typeof issuerChanges>): IssuerKeys | undefined {
  const named = (["jwks", "jwks_uri", "certificate", "saml_metadata"] as const).filter(
    (name) => asked[name] !== undefined,
  );
  const [first, second] = named;
  if (second !== undefined) {
    refuseFields([{ field: second, problem: "send one of jwks, jwks_uri, certificate and saml_metadata" }]);
  }
  const { jwks, jwks_uri: jwksUri, certificate, saml_metadata: samlMetadata } = asked;
  if (jwks !== undefined) return { jwks };
  if (jwksUri !== undefined) return { jwksUri };
  if (certificate !== undefined) return { certificate };
  return samlMetadata === undefined || first === undefined ? undefined : { samlMetadata };
}

function answered(issuer: TrustedIssuer, remarks: object = {}) {
  return { record: { ...issuerRecord(issuer), ...remarks }, tagged: issuerRecord(issuer) };
}

const path = (issuer: string) => `/issuers/${encodeURIComponent(issuer)}`;
const shown = record({ ...records.issuerRecord.properties, ...records.withRemarks });

const issuerOperations = [
  operation({
    ...at("issuers.list", "GET /issuers"),
    ...reads("issuers"),
    summary: "List trusted issuers",
    command: "issuer list",
    query: listQuery({ type: maybe(oneOf(["jwt", "saml", "id-jag"])), status: maybe(oneOf(["active", "disabled"])) }),
    result: pageOf(records.issuerRecord),
    async answer({ query, admin, tools }) {
      const cursors = new Cursors("issuers", query, tools);
      const { limit = DEFAULT_LIMIT, type, status } = query;
      const all = (await allIssuers(admin)).filter(
        (one) => (type === undefined || one.type === type) && (status === undefined || one.status === status),
      );
      const page = pageInMemory(all, (one) => one.issuer, { limit, after: cursors.open(query.after) });
      return { record: { items: page.items.map(issuerRecord), next: cursors.seal(page.next) } };
    },
  }),
  operation({
    ...at("issuers.create", "POST /issuers", 201),
    ...writes("issuers"),
    summary: "Trust an issuer; clients can exchange its assertions for access tokens",
    notes:
      "Send exactly one of `jwks`, `jwks_uri`, `certificate` and `saml_metadata`. `warnings` names risky settings.",
    command: "issuer create",
    body: newIssuer,
    result: shown,
    tagged: true,
    async answer({ body: asked, admin }) {
      const { issuer, type } = asked;
      const made = await createIssuer({ issuer, type, keys: keysIn(asked), ...settingsIn(asked) }, admin);
      return { ...answered(made, remarksIn(issuerRemarks(made))), location: path(issuer) };
    },
  }),
  operation({
    ...at("issuers.show", "GET /issuers/{issuer}"),
    ...reads("issuers"),
    summary: "Read an issuer",
    notes: "The issuer is percent-encoded: `/issuers/https%3A%2F%2Fidp.example.com`.",
    command: "issuer list",
    result: records.issuerRecord,
    tagged: true,
    answer: async ({ params, admin }) => answered(await issuerOf(params["issuer"] ?? "", admin)),
  }),
  operation({
    ...at("issuers.update", "PATCH /issuers/{issuer}"),
    ...writes("issuers"),
    summary: "Change an issuer",
    notes:
      "Fields that the body does not have stay. Lists and keys are replaced as a whole. `notes` says what the issuer's assertions can do without a limit that they had.",
    command: "issuer update",
    body: issuerChanges,
    result: record({ ...records.issuerRecord.properties, ...records.withRemarks, ...withNotes }),
    tagged: true,
    matches: true,
    async answer({ params, body: asked, admin, match }) {
      const changes = { ...settingsIn(asked), ...given({ keys: keysIn(asked) }) };
      const { issuer: changed, notes } = await changeIssuer(params["issuer"] ?? "", changes, admin, (present) =>
        match(issuerRecord(present)),
      );
      return answered(changed, { ...remarksIn(issuerRemarks(changed)), ...notesIn(notes) });
    },
  }),
  operation({
    ...at("issuers.impact", "GET /issuers/{issuer}/impact"),
    ...reads("issuers"),
    summary: "Count what would end with an issuer",
    command: "issuer delete",
    result: records.issuerImpactRecord,
    answer: async ({ params, admin }) => ({
      record: issuerImpactRecord(await impactOfIssuer(params["issuer"] ?? "", admin)),
    }),
  }),
  operation({
    ...at("issuers.delete", "DELETE /issuers/{issuer}", 204),
    ...writes("issuers"),
    summary: "Delete an issuer and the links of its subjects; issued tokens work until they expire",
    command: "issuer delete",
    async answer({ params, admin }) {
      await deleteIssuer(params["issuer"] ?? "", admin);
      return {};
    },
  }),
];

const linked = record({
  issuer: text(1024),
  claim: orNull(text(256)),
  subject: text(255),
  user_id: ids,
  username: text(200),
});

const linkOperations = [
  operation({
    ...at("issuers.links", "GET /issuers/{issuer}/links"),
    ...reads("issuers"),
    summary: "List which subjects of an issuer are which people, oldest first",
    command: "issuer links",
    query: listQuery({}),
    result: pageOf(records.subjectLinkRecord),
    async answer({ params, query, admin, tools }) {
      const issuer = params["issuer"] ?? "";
      const cursors = new Cursors(`links of ${issuer}`, query, tools);
      const { limit = DEFAULT_LIMIT } = query;
      const { items, next } = await linkPage(issuer, { limit, after: cursors.open(query.after) }, admin);
      const shownLinks = items.map(({ link, person }) => subjectLinkRecord(issuer, link, person));
      return { record: { items: shownLinks, next: cursors.seal(next) } };
    },
  }),
  operation({
    ...at("issuers.link", "POST /issuers/{issuer}/links"),
    ...writes("issuers"),
    summary: "Link a subject of an issuer to a person; a link counts before map_subject",
    command: "issuer link",
    body: body({ subject: text(255), user_id: ids }),
    result: linked,
    async answer({ params, body: { subject: text_, user_id: id }, admin }) {
      const issuer = params["issuer"] ?? "";
      const { subject, person } = await linkSubject(issuer, text_, { id }, admin);
      const { personId, username } = person;
      return {
        record: { issuer, claim: subject.claim, subject: subject.subject, user_id: personId, username },
      };
    },
  }),
  operation({
    ...at("issuers.unlink", "DELETE /issuers/{issuer}/links/{subject}", 204),
    ...writes("issuers"),
    summary: "Delete the link of a subject; the person stays",
    notes: "`claim`: if the link is for another claim than the issuer has now; empty: `sub`, or the NameID.",
    command: "issuer unlink",
    query: Type.Object({ claim: maybe(text(256)) }, { additionalProperties: false }),
    async answer({ params, query: { claim }, admin }) {
      const which = given({ claim: claim === "" ? null : claim });
      await unlinkSubject(params["issuer"] ?? "", params["subject"] ?? "", which, admin);
      return {};
    },
  }),
];

export const issuers = [...issuerOperations, ...linkOperations];
