/** Operations on people. */

import { type Static, Type } from "typebox";
import type { Authority } from "../../../admin/api-access/authority.ts";
import { changeUserStatus } from "../../../admin/change-notes.ts";
import { impactOfUser } from "../../../admin/deletion-impact.ts";
import { listUsers } from "../../../admin/directory.ts";
import { identitiesOf, identityRecord, removeIdentity } from "../../../admin/identities.ts";
import { userImpactRecord } from "../../../admin/impact-records.ts";
import { userRecord } from "../../../admin/output-records.ts";
import {
  createUser,
  deleteUser,
  disabledElsewhere,
  OPERATOR_ROLES,
  resetSecondFactor,
  secondFactorsOf,
  setPassword,
  type TypedDetails,
  type UserChanges,
  type UserRef,
  updateUser,
  userOf,
} from "../../../admin/people.ts";
import { IMPORT_FIELDS, importedRecord, importUsers } from "../../../admin/user-import.ts";
import { setUserPicture } from "../../../admin/user-picture.ts";
import type { Person } from "../../../owners/storage.ts";
import { Cursors, DEFAULT_LIMIT, listQuery, pageInMemory, pageOf } from "../lists.ts";
import { at, type Call, operation, reads, writes } from "../operation.ts";
import { ApiRefusal, refuseFields } from "../problem.ts";
import * as records from "../records.ts";
import { body, given, notesIn, oneOf, orNull, record, text, withNotes } from "../schemas.ts";

const maybe = Type.Optional;
const flag = Type.Boolean();
const detail = maybe(orNull(text(500)));
const password = Type.String({ maxLength: 4096, writeOnly: true });

const details = {
  given_name: detail,
  middle_name: detail,
  family_name: detail,
  nickname: detail,
  birthdate: detail,
  gender: detail,
  locale: detail,
  zoneinfo: detail,
  website: detail,
  profile_url: detail,
  phone_number: detail,
  phone_number_verified: maybe(flag),
  street: detail,
  postal_code: detail,
  locality: detail,
  region: detail,
  country: detail,
};

const operator = maybe(
  Type.Array(oneOf(OPERATOR_ROLES), { maxItems: 4, description: "roles of an operator; needs the scope admin" }),
);
const newUser = body(
  {
    username: text(200),
    email: text(300),
    email_verified: maybe(Type.Boolean({ description: "whether the operator vouches for the address; default true" })),
    name: maybe(orNull(text(500))),
    password: maybe(password),
    generate_password: maybe(Type.Boolean({ description: "the answer has the password, which nothing shows again" })),
    must_change_password: maybe(flag),
    operator,
    ...details,
  },
  { username: "carol", email: "carol@example.com", generate_password: true },
);
const userChanges = body({
  email: maybe(text(300)),
  email_verified: maybe(flag),
  name: maybe(orNull(text(500))),
  operator,
  ...details,
});

function detailsIn(asked: Static<typeof userChanges>): { readonly details?: TypedDetails } {
  const cleared = (value: string | null | undefined) => (value === null ? "" : value);
  const typed: TypedDetails = given({
    givenName: cleared(asked.given_name),
    middleName: cleared(asked.middle_name),
    familyName: cleared(asked.family_name),
    nickname: cleared(asked.nickname),
    birthdate: cleared(asked.birthdate),
    gender: cleared(asked.gender),
    locale: cleared(asked.locale),
    zoneinfo: cleared(asked.zoneinfo),
    website: cleared(asked.website),
    profileUrl: cleared(asked.profile_url),
    phoneNumber: cleared(asked.phone_number),
    phoneVerified: asked.phone_number_verified,
    street: cleared(asked.street),
    postalCode: cleared(asked.postal_code),
    locality: cleared(asked.locality),
    region: cleared(asked.region),
    country: cleared(asked.country),
  });
  return Object.keys(typed).length === 0 ? {} : { details: typed };
}

function exceeded(field: string | null, problem: string): never {
  throw new ApiRefusal("admin_authority_exceeded", field === null ? [{ field, problem }] : [{ field, problem }]);
}

/** Roles are given and taken with the scope `admin` alone. */
function requireRoles(authority: Authority, asked: Static<typeof userChanges>): void {
  if (asked.operator !== undefined && !authority.isFull) exceeded("operator", "needs the scope admin");
}

/** A password or an address of an operator is a way to their access. */
function requireOver({ authority }: Call<unknown, unknown>): (person: Person) => void {
  return ({ operator: roles }) => {
    if (roles.length > 0 && !authority.isFull) exceeded(null, "this person is an operator: needs the scope admin");
  };
}

const refOf = ({ params }: Call<unknown, unknown>): UserRef => ({ id: params["id"] ?? "" });

function answered(person: Person, { admin }: Call<unknown, unknown>, generated: string | null = null) {
  return { record: userRecord(person, admin.issuer, generated), tagged: userRecord(person, admin.issuer) };
}

/** The chosen password, or a generated one. Refuses both, and none. */
function choiceIn(asked: { readonly password?: string; readonly generate_password?: boolean }) {
  const { password: chosen, generate_password: generate = false } = asked;
  if ((chosen !== undefined) === generate) {
    const problem = "send password, or generate_password: true; not both";
    refuseFields([{ field: "password", problem }]);
  }
  return chosen === undefined ? { generate: true as const } : { password: chosen };
}

const shown = record({
  ...records.userRecord.properties,
  password: maybe(Type.String({ description: "a generated one, shown only here" })),
});

/** In bytes, of one import. Larger files come in parts. */
const MAX_IMPORT = 1_048_576;
const MAX_IMPORT_LINES = 2000;

/** The last line may have no end. */
function linesOf(bytes: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  let from = 0;
  while (from < bytes.length) {
    const end = bytes.indexOf(0x0a, from);
    const to = end === -1 ? bytes.length : end;
    lines.push(bytes.subarray(from, to));
    from = to + 1;
  }
  return lines;
}

export const users = [
  operation({
    ...at("users.list", "GET /users"),
    ...reads("users"),
    summary: "List people",
    notes:
      "`username` and `email` find people by the beginning. With a filter, a page can have fewer entries than `limit`; go on while `next` is not null.",
    command: "user list",
    query: listQuery({
      username: maybe(text(100, "the beginning of the username")),
      email: maybe(text(300, "the beginning of the address")),
      status: maybe(oneOf(["active", "disabled"])),
      operator: maybe(oneOf(["any", ...OPERATOR_ROLES])),
      sort: maybe(oneOf(["created_at", "-created_at", "username", "email"])),
    }),
    result: pageOf(records.userRecord),
    async answer({ query, admin, tools }) {
      const { limit = DEFAULT_LIMIT, after, operator: role, ...filters } = query;
      const cursors = new Cursors("users", query, tools);
      const wanted = role === undefined ? {} : { operator: role === "any" ? (true as const) : role };
      const page = await listUsers({ ...filters, ...wanted, limit, after: cursors.open(after) }, admin);
      const items = page.items.map((one) => userRecord(one, admin.issuer));
      return { record: { items, next: cursors.seal(page.next) } };
    },
  }),
  operation({
    ...at("users.create", "POST /users", 201),
    ...writes("users"),
    summary: "Create a person",
    command: "user create",
    body: newUser,
    result: shown,
    tagged: true,
    async answer(call) {
      const { body: asked, admin, authority } = call;
      requireRoles(authority, asked);
      const { person, generated } = await createUser(
        {
          ...{ username: asked.username, email: asked.email, password: choiceIn(asked) },
          ...given({
            emailVerified: asked.email_verified,
            name: asked.name,
            operator: asked.operator,
            mustChange: asked.must_change_password,
          }),
          ...detailsIn(asked),
        },
        admin,
      );
      return { ...answered(person, call, generated), location: `/users/${person.personId}` };
    },
  }),
  operation({
    ...at("users.show", "GET /users/{id}"),
    ...reads("users"),
    summary: "Read a person",
    command: "user show",
    result: records.userRecord,
    tagged: true,
    async answer(call) {
      const { admin } = call;
      const person = await userOf(refOf(call), admin);
      const [factors, elsewhere] = await Promise.all([
        secondFactorsOf(person, admin),
        disabledElsewhere(person, admin),
      ]);
      const tagged = userRecord(person, admin.issuer);
      const disabled = elsewhere === null ? {} : { disabled_by: elsewhere };
      return { record: { ...tagged, ...disabled, second_factors: factors }, tagged };
    },
  }),
  operation({
    ...at("users.update", "PATCH /users/{id}"),
    ...writes("users"),
    summary: "Change a person",
    notes: "Fields that the body does not have stay. Only the scope admin changes operators.",
    command: "user update",
    body: userChanges,
    result: records.userRecord,
    tagged: true,
    matches: true,
    async answer(call) {
      const { body: asked, admin, authority, match } = call;
      requireRoles(authority, asked);
      const changes: UserChanges = {
        ...given({
          ...{ email: asked.email, emailVerified: asked.email_verified, name: asked.name },
          operator: asked.operator,
        }),
        ...detailsIn(asked),
      };
      const person = await updateUser(refOf(call), changes, admin, (present) => {
        requireOver(call)(present);
        match(userRecord(present, admin.issuer));
      });
      return answered(person, call);
    },
  }),
  operation({
    ...at("users.impact", "GET /users/{id}/impact"),
    ...reads("users"),
    summary: "Count what would end with a person",
    notes: "A disabled person loses sessions and grants; consents and memberships stay.",
    command: "user delete",
    alsoBy: ["user disable"],
    result: records.userImpactRecord,
    answer: async (call) => ({ record: userImpactRecord(await impactOfUser(refOf(call), call.admin)) }),
  }),
  operation({
    ...at("users.delete", "DELETE /users/{id}", 204),
    ...writes("users"),
    summary: "Delete a person with all sessions and consents, for good",
    command: "user delete",
    async answer(call) {
      await deleteUser(refOf(call), call.admin, requireOver(call));
      return {};
    },
  }),
  ...(["disable", "enable"] as const).map((action) =>
    operation({
      ...at(`users.${action}`, `POST /users/{id}/${action}`),
      ...writes("users"),
      summary: action === "disable" ? "Disable a person; all sessions and grants end" : "Enable a disabled person",
      command: `user ${action}`,
      result: record({ ...records.userRecord.properties, ...withNotes }),
      tagged: true,
      async answer(call) {
        const status = action === "disable" ? "disabled" : "active";
        const { person, notes } = await changeUserStatus(refOf(call), status, call.admin, requireOver(call));
        const { record: told, tagged } = answered(person, call);
        return { record: { ...told, ...notesIn(notes) }, tagged };
      },
    }),
  ),
  operation({
    ...at("users.set-password", "POST /users/{id}/set-password"),
    ...writes("users"),
    summary: "Give a person another password; all sessions and grants end",
    notes: "The answer has a password only if it was generated.",
    command: "user set-password",
    body: body({
      password: maybe(password),
      generate_password: maybe(flag),
      keep_grants: maybe(flag),
      must_change_password: maybe(flag),
    }),
    result: shown,
    tagged: true,
    async answer(call) {
      const { body: asked, admin } = call;
      const { keep_grants: keepGrants = false, must_change_password: mustChange = false } = asked;
      const how = { keepGrants, mustChange };
      const { person, generated } = await setPassword(refOf(call), choiceIn(asked), how, admin, requireOver(call));
      return answered(person, call, generated);
    },
  }),
  operation({
    ...at("users.reset-second-factor", "POST /users/{id}/reset-second-factor"),
    ...writes("users"),
    summary: "Take away a person's authenticator app, and with passkeys: true all passkeys; all sessions end",
    command: "user reset-second-factor",
    body: body({ passkeys: maybe(flag) }),
    result: record({
      id: text(200),
      second_factor_removed: flag,
      passkeys_removed: Type.Integer(),
      sessions_ended: Type.Integer(),
    }),
    async answer(call) {
      const how = { passkeys: call.body.passkeys ?? false };
      const reset = await resetSecondFactor(refOf(call), how, call.admin, requireOver(call));
      return {
        record: {
          id: reset.person.personId,
          second_factor_removed: reset.secondFactor,
          passkeys_removed: reset.passkeys,
          sessions_ended: reset.sessionsEnded,
        },
      };
    },
  }),
  operation({
    ...at("users.set-picture", "PUT /users/{id}/picture"),
    ...writes("users"),
    summary: "Set a person's picture",
    notes: "The body is the picture: PNG, JPEG, WebP or GIF, at most 64 KiB.",
    command: "user update",
    takes: "image/*",
    result: records.userRecord,
    tagged: true,
    async answer(call) {
      return answered(await setUserPicture(refOf(call), call.bytes, call.admin, requireOver(call)), call);
    },
  }),
  operation({
    ...at("users.remove-picture", "DELETE /users/{id}/picture"),
    ...writes("users"),
    summary: "Remove a person's picture",
    command: "user update",
    result: records.userRecord,
    tagged: true,
    async answer(call) {
      return answered(await setUserPicture(refOf(call), null, call.admin, requireOver(call)), call);
    },
  }),
  operation({
    ...at("users.import", "POST /users/import"),
    ...writes("users"),
    summary: "Import people of another system, with the hashes of their passwords",
    notes: `The body is NDJSON: one JSON object on each line, at most ${MAX_IMPORT_LINES.toLocaleString("en")} lines and 1 MiB. A line that is refused does not stop the others. A repeated import changes nothing. The answer has one line for each line: \`result\` is \`created\`, \`exists\` or \`refused\`.`,
    command: "user import",
    takes: "application/x-ndjson",
    most: MAX_IMPORT,
    fields: IMPORT_FIELDS,
    repeats: true,
    resultLine: record({
      line: Type.Integer(),
      result: oneOf(["created", "exists", "refused"]),
      id: maybe(text(200)),
      username: maybe(text(200)),
      code: maybe(text(50, "why it was refused")),
      errors: maybe(Type.Array(record({ field: orNull(text(100)), problem: text(1000) }))),
    }),
    async answer({ bytes, admin }) {
      const lines = linesOf(bytes);
      if (lines.length > MAX_IMPORT_LINES)
        refuseFields([{ field: null, problem: `send at most ${MAX_IMPORT_LINES} lines: split the file` }]);
      let told = "";
      for await (const line of importUsers(lines, admin)) told += `${JSON.stringify(importedRecord(line))}\n`;
      return { lines: told };
    },
  }),
  operation({
    ...at("users.identities", "GET /users/{id}/identities"),
    ...reads("users"),
    summary: "List a person's identities at trusted issuers and sign-in providers",
    command: "user identities",
    query: listQuery({}),
    result: pageOf(records.identityRecord),
    async answer(call) {
      const { query, admin, tools, params } = call;
      const cursors = new Cursors(`identities of ${params["id"]}`, query, tools);
      const { limit = DEFAULT_LIMIT } = query;
      const { identities } = await identitiesOf(refOf(call), admin);
      const page = pageInMemory(identities, ({ link }) => link.link, { limit, after: cursors.open(query.after) });
      return { record: { items: page.items.map(identityRecord), next: cursors.seal(page.next) } };
    },
  }),
  operation({
    ...at("users.remove-identity", "DELETE /users/{id}/identities/{identity}", 204),
    ...writes("users"),
    summary: "Disconnect a person from an issuer or a provider; the account stays",
    notes: "The person may have no way to sign in afterwards: look at `has_password` first.",
    command: "user disconnect",
    async answer(call) {
      await removeIdentity(refOf(call), call.params["identity"] ?? "", call.admin, requireOver(call));
      return {};
    },
  }),
];
