/** Operations on scopes (RFC 6749 §3.3) and the APIs that they belong to (RFC 8707). */

import { type Static, Type } from "typebox";
import { changeResource, changeScope, makeScope } from "../../../admin/change-notes.ts";
import { impactOfResource, impactOfScope } from "../../../admin/deletion-impact.ts";
import { resourceImpactRecord, scopeImpactRecord } from "../../../admin/impact-records.ts";
import { resourceRecord, scopeRecord } from "../../../admin/output-records.ts";
import {
  createResource,
  deleteResource,
  deleteScope,
  listScopes,
  OWNER_ROLES,
  resourceOf,
  SCOPE_ACCESS,
  scopeOf,
} from "../../../admin/scopes-and-resources.ts";
import { allResources } from "../../../admin/whole-lists.ts";
import { ACR_VALUES } from "../../../oauth/authentication-context.ts";
import type { Acr, Resource, Scope } from "../../../oauth/model.ts";
import { Cursors, DEFAULT_LIMIT, listQuery, pageInMemory, pageOf } from "../lists.ts";
import { at, operation, reads, writes } from "../operation.ts";
import * as records from "../records.ts";
import {
  body,
  given,
  notesIn,
  oneOf,
  orNull,
  record,
  scopeText,
  text,
  translated,
  translatedRecord,
  translationsIn,
  withNotes,
  words,
} from "../schemas.ts";

const maybe = Type.Optional;
const flag = Type.Boolean();

const scopeFields = {
  resource: maybe(orNull(text(2048), "identifier of its API; null: the server itself")),
  optional: maybe(flag),
  sensitive: maybe(flag),
  access: maybe(orNull(oneOf(SCOPE_ACCESS))),
  owner_role: maybe(orNull(oneOf(OWNER_ROLES), "only people with this role may grant it")),
  acr: maybe(orNull(oneOf(ACR_VALUES as readonly Acr[]))),
  max_age: maybe(orNull(Type.Integer({ minimum: 0 }), "seconds")),
};
const newScope = translated(
  "description",
  {
    ...{ name: text(128), description: text(500), ...scopeFields },
    reuse: maybe(
      Type.Boolean({
        description: "true: it means the same as a deleted scope of this name, so consents that name it hold again",
      }),
    ),
  },
  { name: "photos:view", description: "See your photos" },
);
const scopeChanges = translated("description", { description: maybe(text(500)), ...scopeFields });

function settingsIn(given_: Static<typeof scopeChanges>): Partial<Omit<Scope, "name">> {
  return given({
    description: given_.description,
    descriptions: translationsIn("description", given_),
    resource: given_.resource,
    optional: given_.optional,
    sensitive: given_.sensitive,
    access: given_.access,
    ownerRole: given_.owner_role,
    acr: given_.acr,
    maxAge: given_.max_age,
  });
}

const told = (scope: Scope, builtIn = false) => ({ ...scopeRecord(scope), built_in: builtIn });
const scopeOperations = [
  operation({
    ...at("scopes.list", "GET /scopes"),
    ...reads("scopes"),
    summary: "List scopes, also the built-in ones",
    command: "scope list",
    query: listQuery({
      resource: maybe(text(2048, "identifier of an API")),
      built_in: maybe(flag),
    }),
    result: pageOf(records.scopeRecord),
    async answer({ query, admin, tools }) {
      const cursors = new Cursors("scopes", query, tools);
      const { resource, built_in: builtIn, limit = DEFAULT_LIMIT } = query;
      const all = (await listScopes(admin)).filter(
        (one) =>
          (resource === undefined || one.scope.resource === resource) &&
          (builtIn === undefined || one.builtIn === builtIn),
      );
      const page = pageInMemory(all, ({ scope }) => scope.name, { limit, after: cursors.open(query.after) });
      return {
        record: { items: page.items.map((one) => told(one.scope, one.builtIn)), next: cursors.seal(page.next) },
      };
    },
  }),
  operation({
    ...at("scopes.create", "POST /scopes", 201),
    ...writes("scopes"),
    summary: "Create a scope",
    notes:
      "`notes` of the answer names the clients that are registered for a deleted scope of this name. With `reuse`, it also says what the scope means for consents.",
    command: "scope create",
    body: newScope,
    result: translatedRecord("description", { ...records.scopeRecord.properties, ...withNotes }),
    tagged: true,
    async answer({ body: asked, admin }) {
      const { name, description } = asked;
      const reuse = asked.reuse === true;
      const { scope, notes } = await makeScope({ ...settingsIn(asked), name, description }, admin, { reuse });
      const location = `/scopes/${encodeURIComponent(scope.name)}`;
      return { record: { ...told(scope), ...notesIn(notes) }, tagged: told(scope), location };
    },
  }),
  operation({
    ...at("scopes.show", "GET /scopes/{name}"),
    ...reads("scopes"),
    summary: "Read a scope",
    command: "scope list",
    result: records.scopeRecord,
    tagged: true,
    async answer({ params, admin }) {
      const name = params["name"] ?? "";
      const found = (await listScopes(admin)).find(({ scope }) => scope.name === name);
      const record = found === undefined ? told(await scopeOf(name, admin)) : told(found.scope, found.builtIn);
      return { record, tagged: record };
    },
  }),
  operation({
    ...at("scopes.update", "PATCH /scopes/{name}"),
    ...writes("scopes"),
    summary: "Change a scope",
    notes: "A translation that is null is removed. `notes` of the answer says what the change means for consents.",
    command: "scope update",
    body: scopeChanges,
    result: translatedRecord("description", { ...records.scopeRecord.properties, ...withNotes }),
    tagged: true,
    matches: true,
    async answer({ params, body: asked, admin, match }) {
      const { scope, notes } = await changeScope(params["name"] ?? "", settingsIn(asked), admin, (present) =>
        match(told(present)),
      );
      return { record: { ...told(scope), ...notesIn(notes) }, tagged: told(scope) };
    },
  }),
  operation({
    ...at("scopes.impact", "GET /scopes/{name}/impact"),
    ...reads("scopes"),
    summary: "Count what names a scope",
    notes: "Reads all consents: ask before a deletion, not at intervals.",
    command: "scope delete",
    result: records.scopeImpactRecord,
    async answer({ params, admin }) {
      const name = params["name"] ?? "";
      return { record: scopeImpactRecord(name, await impactOfScope(name, admin)) };
    },
  }),
  operation({
    ...at("scopes.delete", "DELETE /scopes/{name}"),
    ...writes("scopes"),
    summary: "Delete a scope; no new token has it",
    command: "scope delete",
    result: body({ name: text(128), clients: Type.Array(text(200, "a client that names it")) }),
    async answer({ params, admin }) {
      const name = params["name"] ?? "";
      return { record: { name, clients: await deleteScope(name, admin) } };
    },
  }),
];

const resourceFields = {
  name: maybe(text(500)),
  token_format: maybe(oneOf(["jwt", "opaque"])),
  token_lifetime: maybe(orNull(Type.Integer({ minimum: 1 }), "seconds; null: the server's default")),
  alg: maybe(text(20)),
  grant_bound: maybe(flag),
  userinfo: maybe(flag),
  default_scope: maybe(scopeText("what a request asks for that names this API and no scope")),
  introspection_client_secret: maybe(
    Type.String({
      ...{ maxLength: 200, writeOnly: true },
      description: "the secret with which it introspects; the old one stops working at once; default: a random one",
    }),
  ),
};
const newResource = body(
  { ...resourceFields, identifier: text(2048), name: text(500) },
  { identifier: "https://photos.example.com", name: "Photos" },
);
const resourceChanges = body(resourceFields);

function resourceSettings(given_: Static<typeof resourceChanges>) {
  return given({
    name: given_.name,
    tokenFormat: given_.token_format,
    tokenLifetime: given_.token_lifetime,
    alg: given_.alg,
    grantBound: given_.grant_bound,
    userInfo: given_.userinfo,
    defaultScopes: words(given_.default_scope),
    newSecret: given_.introspection_client_secret,
  });
}

function answered(resource: Resource, secret: string | null = null, notes: readonly string[] = []) {
  return { record: { ...resourceRecord(resource, secret), ...notesIn(notes) }, tagged: resourceRecord(resource) };
}

const changedResource = record({ ...records.resourceRecord.properties, ...withNotes });

const resourceOperations = [
  operation({
    ...at("resources.list", "GET /resources"),
    ...reads("resources"),
    summary: "List APIs",
    command: "resource list",
    query: listQuery({}),
    result: pageOf(records.resourceRecord),
    async answer({ query, admin, tools }) {
      const cursors = new Cursors("resources", query, tools);
      const { limit = DEFAULT_LIMIT } = query;
      const all = await allResources(admin);
      const page = pageInMemory(all, (one) => one.identifier, { limit, after: cursors.open(query.after) });
      return { record: { items: page.items.map((one) => resourceRecord(one)), next: cursors.seal(page.next) } };
    },
  }),
  operation({
    ...at("resources.create", "POST /resources", 201),
    ...writes("resources"),
    summary: "Register an API",
    notes: "The answer has `introspection_client_secret`, which nothing shows again.",
    command: "resource create",
    body: newResource,
    result: records.resourceRecord,
    tagged: true,
    async answer({ body: asked, admin }) {
      const { identifier, name } = asked;
      const { resource, secret } = await createResource({ ...resourceSettings(asked), identifier, name }, admin);
      return { ...answered(resource, secret), location: `/resources/${encodeURIComponent(identifier)}` };
    },
  }),
  operation({
    ...at("resources.show", "GET /resources/{identifier}"),
    ...reads("resources"),
    summary: "Read an API",
    notes: "The identifier is percent-encoded: `/resources/https%3A%2F%2Fapi.example.com`.",
    command: "resource list",
    result: records.resourceRecord,
    tagged: true,
    answer: async ({ params, admin }) => answered(await resourceOf(params["identifier"] ?? "", admin)),
  }),
  operation({
    ...at("resources.update", "PATCH /resources/{identifier}"),
    ...writes("resources"),
    summary: "Change an API",
    command: "resource update",
    body: resourceChanges,
    result: changedResource,
    tagged: true,
    matches: true,
    async answer({ params, body: asked, admin, match }) {
      const { resource, notes } = await changeResource(
        params["identifier"] ?? "",
        resourceSettings(asked),
        admin,
        (present) => match(resourceRecord(present)),
      );
      return answered(resource, null, notes);
    },
  }),
  operation({
    ...at("resources.rotate-secret", "POST /resources/{identifier}/rotate-secret"),
    ...writes("resources"),
    summary: "Give an API a new secret for introspection; the old one stops working at once",
    command: "resource update",
    result: changedResource,
    tagged: true,
    async answer({ params, admin }) {
      const { resource, secret, notes } = await changeResource(params["identifier"] ?? "", { newSecret: true }, admin);
      return answered(resource, secret, notes);
    },
  }),
  operation({
    ...at("resources.impact", "GET /resources/{identifier}/impact"),
    ...reads("resources"),
    summary: "Read what would end with an API, and which scopes it still has",
    command: "resource delete",
    result: records.resourceImpactRecord,
    answer: async ({ params, admin }) => ({
      record: resourceImpactRecord(await impactOfResource(params["identifier"] ?? "", admin)),
    }),
  }),
  operation({
    ...at("resources.delete", "DELETE /resources/{identifier}", 204),
    ...writes("resources"),
    summary: "Delete an API that has no scopes",
    command: "resource delete",
    async answer({ params, admin }) {
      await deleteResource(params["identifier"] ?? "", admin);
      return {};
    },
  }),
];

export const scopesAndResources = [...scopeOperations, ...resourceOperations];
