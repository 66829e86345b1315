/** What a remote command gets, and how its options become fields of the admin API. */

import type { Command } from "commander";
import { Failure, type Problem } from "../command-errors.ts";
import { TOKENS, type Told, type ToldOfStatus } from "../confirm.ts";
import type { Column, Output, WireRecord } from "../print-records.ts";
import { noneWith } from "../shared-options.ts";
import type { Body, OperationId, RemoteApi } from "./api.ts";

type Options = Readonly<Record<string, unknown>>;

export interface RemoteCall {
  readonly args: readonly string[];
  readonly options: Options;
  readonly command: Command;
  readonly api: RemoteApi;
  readonly out: Output;
}

export type RemoteCommand = (call: RemoteCall) => Promise<void>;
export type RemoteCommands = Readonly<Record<string, RemoteCommand>>;

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Names that the API has in another form: lists of scopes are one text there. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ scopes: "scope", ownScopes: "own_scope", defaultScopes: "default_scope", userInfo: "userinfo" },
  workload: "workload_identity",
  ...{ mustChange: "must_change_password", phoneVerified: "phone_number_verified" },
};

/** Settings of a use-case as fields of a body. Undefined ones are left out. */
export function wire(settings: object): Body {
  return Object.fromEntries(
    Object.entries(settings)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        const field = NAMES[name] ?? snake(name);
        return [field, /(^|_)scope$/.test(field) && Array.isArray(value) ? value.join(" ") : value];
      }),
  );
}

/** A value of the command line as a text. */
export function textOption({ options }: Pick<RemoteCall, "options">, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** The filters of a list: `--filter status=disabled`. */
export function filtersOf({ options }: Pick<RemoteCall, "options">): Body {
  return (options["filter"] as Body | undefined) ?? {};
}

export function limitOf({ options }: Pick<RemoteCall, "options">): number {
  return typeof options["limit"] === "number" ? options["limit"] : Number.POSITIVE_INFINITY;
}

export const columns = (...fields: readonly string[]): readonly Column[] => fields.map((field) => ({ field }));

/** A list that takes no more than filters and a limit. `none`: what to say if it is empty. */
export function listed(id: OperationId, shown: readonly Column[], none: string): RemoteCommand {
  return async (call) => {
    const found = await call.api.list(id, { query: filtersOf(call) }, limitOf(call));
    call.out.list(found, shown, noneWith(filtersOf(call), none));
  };
}

/** Shows the record of an answer. `lineOf`: a warning with the flag of the command instead of the field's name. */
export function show(
  out: Output,
  record: Body,
  once: readonly string[] = [],
  lineOf = ({ field, problem }: Problem) => (field === null ? problem : `${field}: ${problem}`),
): void {
  for (const remark of (record["warnings"] ?? []) as Problem[]) out.warn(lineOf(remark));
  const { warnings: _, notes: __, ...rest } = record;
  out.record(rest as WireRecord, once);
  noteAll(out, record);
}

/** Shows what a change means for access that exists. An older server doesn't say it. */
export function noteAll(out: Output, { notes = [] }: Body): void {
  for (const note of notes as readonly string[]) out.note(note);
}

/** The one person with this username or address. */
export async function userId({ api }: Pick<RemoteCall, "api">, login: string): Promise<string> {
  return String((await userOf(api, login))["id"]);
}

export async function userOf(api: RemoteApi, login: string): Promise<Body> {
  const field = login.includes("@") ? "email" : "username";
  const wanted = login.normalize("NFKC").toLowerCase();
  const { items } = await api.call("users.list", { query: { [field]: wanted, limit: 10 } });
  const found = (items as Body[]).find((one) => String(one[field]).toLowerCase() === wanted);
  if (found === undefined)
    throw new Failure(`there is no user ${JSON.stringify(login.slice(0, 100))} on ${api.server}`);
  return found;
}

export async function companyId({ api }: Pick<RemoteCall, "api">, slug: string): Promise<string> {
  const { items } = await api.call("companies.list", { query: { slug, limit: 10 } });
  const found = (items as Body[]).find((one) => one["slug"] === slug);
  if (found === undefined)
    throw new Failure(`there is no company ${JSON.stringify(slug.slice(0, 100))} on ${api.server}`);
  return String(found["id"]);
}

/** The beginning of a question: another server can be meant than the operator thinks. */
export const on = ({ server }: RemoteApi): string => `On ${server}: `;

/**
 * What the operator reads before and after a deletion, with the server's counts. Of a server of an earlier version: that it
 * doesn't count.
 */
export async function deletionTold<R>(
  { api }: Pick<RemoteCall, "api">,
  [id, ...path]: readonly [OperationId, ...string[]],
  tell: (impact: R) => Told | Promise<Told>,
  what: string,
): Promise<Told> {
  const impact = (await api.impact(id, { path })) as R | undefined;
  const told = impact === undefined ? uncounted(`Deleting ${what}`, `Deleted ${what}`) : await tell(impact);
  return { ...told, question: `${on(api)}${told.question}` };
}

/** The same for a change of the status. */
export async function statusTold<R>(
  { api }: Pick<RemoteCall, "api">,
  [id, ...path]: readonly [OperationId, ...string[]],
  tell: (impact: R) => ToldOfStatus | Promise<ToldOfStatus>,
  what: string,
  status: "active" | "disabled",
): Promise<ToldOfStatus> {
  const impact = (await api.impact(id, { path })) as R | undefined;
  const uncountedStatus: ToldOfStatus = status === "active" ? {} : uncounted(`Disabling ${what}`, `Disabled ${what}`);
  const told: ToldOfStatus = impact === undefined ? uncountedStatus : await tell(impact);
  return told.question === undefined ? told : { ...told, question: `${on(api)}${told.question}` };
}

function uncounted(doing: string, did: string): Told {
  return {
    question: `${doing} ends access. The server has an earlier version and doesn't say how much. ${TOKENS}`,
    done: `${did}. ${TOKENS}`,
  };
}

/** The question about something that is counted. Of a server of an earlier version: `${doing} ends access`. */
export async function questionAbout<R>(
  { api }: Pick<RemoteCall, "api">,
  [id, ...path]: readonly [OperationId, ...string[]],
  ask: (impact: R) => string | Promise<string>,
  doing: string,
): Promise<string> {
  const impact = (await api.impact(id, { path })) as R | undefined;
  return `${on(api)}${impact === undefined ? uncounted(doing, "").question : await ask(impact)}`;
}
