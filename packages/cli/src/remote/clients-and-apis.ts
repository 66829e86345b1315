/** `assent client …`, `scope …` and `resource …` on a server. */

import type { Client, ClientImpactRecord, ConnectionRecord, TokenExchangePolicy } from "@assent/server/admin";
import { logoOf } from "../client-files.ts";
import { Failure, lineOf, type Problem, UsageError } from "../command-errors.ts";
import {
  type ClientOptions,
  clientRemarkLine,
  metadataOf,
  nextStep,
  ownSettingsOf,
  similarWarnings,
} from "../commands/client.ts";
import {
  type ConnectOptions,
  confirmEnding,
  connectionNote,
  connectionsAfter,
  effectRemarks,
} from "../commands/client-connect.ts";
import { clientDeletionTold, clientStatusTold } from "../commands/client-ending.ts";
import {
  confirmOff,
  type ExchangeOptions,
  exchangeAfter,
  exchangeChangesOf,
  exchangeListRemarks,
} from "../commands/client-exchange.ts";
import { dropRemarks, listChangesOf } from "../commands/multi-valued-client-options.ts";
import { resourceDeletionTold } from "../commands/resource.ts";
import {
  type ScopeOptions,
  scopeQuestion,
  settingsOf as scopeSettingsOf,
  tellDeletedScope,
} from "../commands/scope.ts";
import { confirm, type ToldOfStatus } from "../confirm.ts";
import { listAfter } from "../list-changes.ts";
import { CLIENT_COLUMNS } from "../list-columns.ts";
import { given, requireChanges } from "../shared-options.ts";
import type { Body, RemoteApi } from "./api.ts";
import {
  columns,
  companyId,
  deletionTold,
  listed,
  noteAll,
  on,
  questionAbout,
  type RemoteCall,
  type RemoteCommand,
  type RemoteCommands,
  show,
  statusTold,
  wire,
} from "./call.ts";
import { pictureType } from "./picture-type.ts";

const SECRET = ["client_secret"];

async function clientFields(options: ClientOptions): Promise<Body> {
  return { ...(await metadataOf(options)), ...wire(ownSettingsOf(options)) };
}

const createClient: RemoteCommand = async ({ options, command, api, out }) => {
  const asked = options as unknown as ClientOptions;
  const picture = typeof asked.logo === "string" ? await logoOf(asked.logo) : undefined;
  const body = { type: options["type"], ...(await clientFields(asked)) };
  const made = await api.call("clients.create", { body });
  if (picture !== undefined) {
    const path = [String(made["client_id"])];
    await api.call("clients.set-logo", { path, bytes: picture, type: pictureType(picture) });
  }
  for (const remark of (made["warnings"] ?? []) as Problem[]) out.warn(clientRemarkLine(remark, command));
  for (const warning of await similarWarnings(made)) out.warn(warning);
  show(out, withoutWarnings(made), SECRET);
  out.note(await nextStep(made, api.server));
};

const list = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? (value as string[])
    : String(value ?? "")
        .split(" ")
        .filter((one) => one !== "");

/** The lists of a record after values were added and removed, in the form that the record has. */
function changedListFields(options: object, present: Body): Body {
  return Object.fromEntries(
    Object.entries(listChangesOf(options)).map(([field, change]) => {
      const next = listAfter(list(present[field]), change);
      return [field, field.endsWith("scope") ? next.join(" ") : next];
    }),
  );
}

const updateClient: RemoteCommand = async ({ args, options, command, api, out }) => {
  const [id = ""] = args;
  const asked = options as unknown as ClientOptions;
  const { status } = options;
  const fields = await clientFields(asked);
  requireChanges({ ...fields, ...listChangesOf(options), ...given({ status }) }, "client");
  const told = await clientStatus(api, id, status as Status);
  if (told.question !== undefined) await confirm(told.question, options);
  let before: Body = {};
  const changed = await api.change("clients", [id], (present) => {
    before = present;
    return { ...fields, ...changedListFields(options, present) };
  });
  const after =
    status === undefined
      ? changed
      : {
          ...(await api.call(status === "disabled" ? "clients.disable" : "clients.enable", { path: [id] })),
          ...given({ warnings: changed["warnings"], notes: changed["notes"] }),
          ...given({ similar_clients: changed["similar_clients"] }),
        };
  const lost = Object.fromEntries(
    Object.keys(fields).map((field) => [field, list(before[field]).filter((one) => !list(after[field]).includes(one))]),
  );
  for (const remark of dropRemarks(options, lost)) out.warn(remark);
  for (const remark of (after["warnings"] ?? []) as Problem[]) out.warn(clientRemarkLine(remark, command));
  for (const warning of await similarWarnings(after)) out.warn(warning);
  show(out, withoutWarnings(after));
  if (told.done !== undefined) out.note(told.done);
};

/** For commands that change one setting: their warnings are about that setting. */
function withoutWarnings({ warnings: _, ...record }: Body): Body {
  return record;
}

const exchange: RemoteCommand = async ({ args: [id = ""], options, command, api, out }) => {
  const changes = exchangeChangesOf(options as ExchangeOptions);
  const { EXCHANGED_KINDS, exchangeRemarks, NO_EXCHANGE } = await import("@assent/server/admin");
  const kinds = [...(changes?.settings.subjects ?? []), ...(changes?.lists.subjects?.add ?? [])];
  const strange = kinds.find((kind) => !EXCHANGED_KINDS.some((known) => known === kind));
  if (strange !== undefined)
    throw new Failure(`--subject: ${JSON.stringify(strange)}: use ${EXCHANGED_KINDS.join(", ")}`);
  const done = changes === null ? await confirmOff(await clientImpact(api, id), options, on(api)) : undefined;
  let before: Partial<TokenExchangePolicy> | null = null;
  const policyOf = (record: unknown) => {
    if (record === undefined || record === null) return null;
    const { scope, ...lists } = record as Body;
    return { ...NO_EXCHANGE, ...lists, scopes: list(scope) };
  };
  const changed = await api.change("clients", [id], ({ token_exchange: present }) => {
    before = policyOf(present);
    const after = changes && wire(exchangeAfter(before ?? {}, changes));
    return { token_exchange: after && { ...(present as Body | undefined), ...after } };
  });
  const { token_exchange: stored, grant_types: grantTypes } = changed;
  const tokenExchange = policyOf(stored);
  for (const remark of exchangeListRemarks(options as ExchangeOptions, before, tokenExchange)) out.warn(remark);
  for (const remark of exchangeRemarks({ tokenExchange, grantTypes: list(grantTypes) }))
    out.warn(lineOf(remark, command));
  show(out, withoutWarnings(changed));
  if (done !== undefined) out.note(done);
};

const connect: RemoteCommand = async (call) => {
  const { args, api, out } = call;
  const [id = ""] = args;
  const options = call.options as unknown as ConnectOptions;
  const company = options.company === undefined ? null : await companyId(call, options.company);
  const { connectionOf, connectionRecord } = await import("@assent/server/admin");
  const { token_exchange: policy } = (await api.call("clients.show", { path: [id] })) as PolicyOfClient;
  const present = (policy?.connections ?? []).map(connectionOf);
  // Wrong usage is said before the question.
  const asked = connectionsAfter(present, options, company);
  const found = present.find((one) => one.audience === options.audience && one.company === company);
  const known = await confirmEnding(found, asked, await clientImpact(api, id), options, on(api));
  let note: string | undefined;
  const changed = await api.change("clients", [id], ({ token_exchange: present }) => {
    const { connections = [], ...policy } = (present ?? {}) as { readonly connections?: readonly ConnectionRecord[] };
    const before = connections.map(connectionOf);
    const after = connectionsAfter(before, options, company);
    note = connectionNote(before, options, company, known);
    return { token_exchange: { ...policy, connections: after.map(connectionRecord) } };
  });
  const client = {
    ...{ clientId: id, grantTypes: list(changed["grant_types"]) },
    status: changed["status"] as Client["status"],
  };
  for (const remark of await effectRemarks(client, options)) out.warn(remark);
  show(out, withoutWarnings(changed));
  if (note !== undefined) out.note(note);
};

type Status = "active" | "disabled" | undefined;
interface PolicyOfClient {
  readonly token_exchange?: { readonly connections?: readonly ConnectionRecord[] };
}

/** What would end with the client, as the server counts it. */
async function clientImpact(api: RemoteApi, id: string): Promise<ClientImpactRecord | undefined> {
  return (await api.impact("clients.impact", { path: [id] })) as ClientImpactRecord | undefined;
}

async function clientStatus(api: RemoteApi, id: string, status: Status): Promise<ToldOfStatus> {
  if (status === undefined) return {};
  const tell = (impact: ClientImpactRecord) => clientStatusTold(impact, status);
  return statusTold({ api }, ["clients.impact", id], tell, id, status);
}

function setStatus(action: "disable" | "enable"): RemoteCommand {
  return async ({ args: [id = ""], options, api, out }) => {
    const { question, done } = await clientStatus(api, id, action === "disable" ? "disabled" : "active");
    if (question !== undefined) await confirm(question, options);
    show(out, await api.call(`clients.${action}`, { path: [id] }));
    if (done !== undefined) out.note(done);
  };
}

const logo: RemoteCommand = async ({ args: [id = "", file], options, api, out }) => {
  if ((file === undefined) === (options["remove"] === undefined))
    throw new UsageError("name a picture file, or use --remove");
  if (file === undefined) return show(out, await api.call("clients.remove-logo", { path: [id] }));
  const bytes = await logoOf(file);
  show(out, await api.call("clients.set-logo", { path: [id], bytes, type: pictureType(bytes) }));
};

/** Descriptions in other languages have fields of their own. An empty one is removed. */
function scopeFields(options: object): Body {
  const { descriptions = {}, ...settings } = scopeSettingsOf(options as ScopeOptions);
  const translated = Object.entries(descriptions).map(([tag, text]) => [
    `description#${tag}`,
    text === "" ? null : text,
  ]);
  return { ...wire(settings), ...Object.fromEntries(translated) };
}

const deleteScope: RemoteCommand = async (call) => {
  const { args, options, api, out } = call;
  const [name = ""] = args;
  await confirm(
    await questionAbout(call, ["scopes.impact", name], scopeQuestion, `Deleting the scope ${name}`),
    options,
  );
  const { clients } = await api.call("scopes.delete", { path: [name] });
  await tellDeletedScope(name, clients as readonly string[], out);
};

function resourceFields(options: RemoteCall["options"]): Body {
  const { name, tokenFormat, alg, grantBound, userinfo, tokenLifetime, defaultScope } = options;
  const lifetime = tokenLifetime === false ? null : tokenLifetime;
  const scopes = defaultScope === false ? "" : defaultScope;
  return wire(given({ name, tokenFormat, alg, grantBound, userinfo, tokenLifetime: lifetime, defaultScope: scopes }));
}

const INTROSPECTION = ["introspection_client_secret"];

const resourceUpdate: RemoteCommand = async ({ args: [identifier = ""], options, api, out }) => {
  const changes = resourceFields(options);
  requireChanges({ ...changes, ...given({ newSecret: options["newSecret"] }) }, "resource");
  const changed = await api.change("resources", [identifier], () => changes);
  if (options["newSecret"] !== true) return show(out, changed);
  show(out, await api.call("resources.rotate-secret", { path: [identifier] }), INTROSPECTION);
  noteAll(out, changed);
};

export const clientsAndApis: RemoteCommands = {
  "client create": createClient,
  "client list": listed("clients.list", CLIENT_COLUMNS, "There are no clients."),
  "client show": async ({ args: [id = ""], command, api, out }) =>
    show(out, await api.call("clients.show", { path: [id] }), [], (remark) => clientRemarkLine(remark, command)),
  "client update": updateClient,
  "client disable": setStatus("disable"),
  "client enable": setStatus("enable"),
  "client delete": async (call) => {
    const { args, options, api, out } = call;
    const [id = ""] = args;
    const { question, done } = await deletionTold(call, ["clients.impact", id], clientDeletionTold, id);
    await confirm(question, options);
    await api.call("clients.delete", { path: [id] });
    out.done({ client_id: id, deleted: true }, done);
  },
  "client rotate-secret": async ({ args: [id = ""], options, api, out }) => {
    const { overlap } = options;
    show(out, await api.call("clients.rotate-secret", { path: [id], body: { overlap } }), SECRET);
    out.note(
      overlap === 0
        ? "The old secret no longer works."
        : `The old secret works for ${overlap} seconds. To end it at once, use --overlap 0.`,
    );
  },
  "client logo": logo,
  "client exchange": exchange,
  "client connect": connect,
  "scope create": async ({ args: [name = ""], options, api, out }) =>
    show(
      out,
      await api.call("scopes.create", {
        body: { name, ...scopeFields(options), ...(options["reuse"] === true && { reuse: true }) },
      }),
    ),
  "scope list": listed(
    "scopes.list",
    columns("name", "resource", "access", "optional", "sensitive", "built_in", "description"),
    "There are no scopes.",
  ),
  "scope update": async ({ args: [name = ""], options, api, out }) => {
    const changes = scopeFields(options);
    requireChanges(changes, "scope");
    show(out, await api.change("scopes", [name], () => changes));
  },
  "scope delete": deleteScope,
  "resource create": async ({ options, api, out }) =>
    show(
      out,
      await api.call("resources.create", { body: { identifier: options["identifier"], ...resourceFields(options) } }),
      INTROSPECTION,
    ),
  "resource list": listed(
    "resources.list",
    columns("identifier", "name", "token_format", "alg", "token_lifetime", "introspection_client_id"),
    "There are no APIs.",
  ),
  "resource update": resourceUpdate,
  "resource delete": async (call) => {
    const { args, options, api, out } = call;
    const [identifier = ""] = args;
    const { question, done } = await deletionTold(
      call,
      ["resources.impact", identifier],
      resourceDeletionTold,
      identifier,
    );
    await confirm(question, options);
    await api.call("resources.delete", { path: [identifier] });
    out.done({ identifier, deleted: true }, done);
  },
};
