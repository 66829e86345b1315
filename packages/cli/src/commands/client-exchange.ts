/** `assent client exchange`: which tokens a client may exchange, and for what (RFC 8693). */

import type { ClientImpactRecord, TokenExchangePolicy } from "@assent/server/admin";
import type { Command } from "commander";
import { lineOf, UsageError } from "../command-errors.ts";
import { confirmOnTerminal, TOKENS, type YesOption, yesOption } from "../confirm.ts";
import { addChangeOptions, type Changes, changesOf, type ListFlag, listRemarks, listsAfter } from "../list-changes.ts";
import { type JsonOption, listOption, verb, withAdmin } from "../shared-options.ts";
import { clientImpact, disconnected } from "./client-ending.ts";

export interface ExchangeOptions extends JsonOption {
  readonly subject?: readonly string[];
  readonly source?: readonly string[];
  readonly audience?: readonly string[];
  readonly scope?: readonly string[];
  readonly actor?: readonly string[];
  readonly impersonation?: boolean;
  readonly off?: true;
}

type ExchangeList = "subjects" | "sources" | "audiences" | "scopes" | "actors";
export const EXCHANGE_LISTS: readonly ListFlag<ExchangeList>[] = [
  { field: "subjects", flag: "subject", value: "<kind>", one: "a kind of token that it may present", words: false },
  { field: "sources", flag: "source", value: "<api>", one: "an API whose access tokens it may present", words: false },
  { field: "audiences", flag: "audience", value: "<api>", one: "an API for which it may get tokens", words: false },
  { field: "scopes", flag: "scope", value: "<scopes>", one: "scopes that its tokens can have", words: true },
  { field: "actors", flag: "actor", value: "<client-id>", one: "a client that it may name as the actor", words: false },
];

export function registerExchange(client: Command): void {
  const exchange = verb(
    client,
    "exchange <client-id>",
    "say which tokens a client may exchange for access tokens (RFC 8693); settings that you omit stay the same; lists replace the old ones",
  )
    .addOption(
      listOption(
        "--subject <kind>",
        "a kind of token that it may present: access_token, refresh_token, id_token or jwt",
      ),
    )
    .addOption(listOption("--source <api>", "an API whose access tokens it may present"))
    .addOption(listOption("--audience <api>", "an API for which it may get tokens"))
    .addOption(
      listOption("--scope <scopes>", "the most that its tokens can have, separated by spaces", { words: true }),
    )
    .addOption(
      listOption("--actor <client-id>", "another client that it may name as the actor, by a token of that client"),
    );
  addChangeOptions(exchange, EXCHANGE_LISTS)
    .option("--impersonation", "without an actor token, its tokens name no actor; APIs take it for the owner's app")
    .option("--no-impersonation", "its tokens always name an actor")
    .option("--off", "it may exchange nothing, and its connections with other servers are deleted")
    .addOption(yesOption("on a terminal, don't ask for confirmation"))
    .addHelpText(
      "after",
      `
The client also needs the grant type: assent client update CLIENT_ID --add-grant-type token-exchange

Example:
  assent client exchange agent --subject access_token --source https://calendar.example --audience https://mail.example --scope mail:read`,
    )
    .action(change);
}

export interface ExchangeChanges {
  readonly settings: Partial<TokenExchangePolicy>;
  readonly lists: Changes<ExchangeList>;
}

/** The settings that the options change. Null: all are taken away. */
export function exchangeChangesOf(options: ExchangeOptions): ExchangeChanges | null {
  const { subject, source, audience, scope, actor, impersonation, off } = options;
  const asked = {
    ...{ subjects: subject, sources: source, audiences: audience, scopes: scope, actors: actor },
    impersonation,
  };
  const settings = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  const lists = changesOf(options, EXCHANGE_LISTS);
  const count = Object.keys({ ...settings, ...lists }).length;
  if (off === true ? count > 0 : count === 0)
    throw new UsageError("name at least one setting, or --off alone (assent client exchange --help)");
  return off === true ? null : { settings, lists };
}

/** The settings of a policy that change, as they are afterwards. */
export function exchangeAfter(
  present: Partial<TokenExchangePolicy>,
  { settings, lists }: ExchangeChanges,
): Partial<TokenExchangePolicy> {
  // The server checks the kinds of tokens.
  return { ...settings, ...(listsAfter(present, lists, EXCHANGE_LISTS) as Partial<TokenExchangePolicy>) };
}

/** Asks if connections end. Returns what the operator reads once a client may exchange nothing any more. `impact`: as in `confirmEnding`. */
export async function confirmOff(impact: ClientImpactRecord | undefined, options: YesOption, on = ""): Promise<string> {
  const lost = disconnected(impact?.connections ?? []);
  if (lost !== "") await confirmOnTerminal(`${on}This also ends the connections with other servers: ${lost}`, options);
  return `${EXCHANGE_OFF}${lost === "" ? "" : ` Disconnected: ${lost}`}`;
}

/** What replaced lists lost. */
export function exchangeListRemarks(
  options: ExchangeOptions,
  before: Partial<TokenExchangePolicy> | null | undefined,
  after: Partial<TokenExchangePolicy> | null | undefined,
): readonly string[] {
  return listRemarks(options, { before: before ?? {}, after: after ?? {} }, EXCHANGE_LISTS);
}

const EXCHANGE_OFF = `The client gets no new tokens by exchange, and has no connections with other servers. ${TOKENS}`;

async function change(clientId: string, options: ExchangeOptions & YesOption, command: Command) {
  const changes = exchangeChangesOf(options);
  await withAdmin(options, async (admin, out) => {
    const { clientOf, clientRecord, exchangeRemarks, NO_EXCHANGE, updateClient } = await import("@assent/server/admin");
    let { tokenExchange: before } = await clientOf(clientId, admin);
    const done = changes === null ? await confirmOff(await clientImpact(clientId, admin), options) : undefined;
    const client = await updateClient(
      clientId,
      {
        exchange: (present) => {
          before = present;
          return changes && { ...NO_EXCHANGE, ...present, ...exchangeAfter(present ?? {}, changes) };
        },
      },
      admin,
    );
    for (const remark of exchangeListRemarks(options, before, client.tokenExchange)) out.warn(remark);
    for (const remark of exchangeRemarks(client)) out.warn(lineOf(remark, command));
    out.record(clientRecord(client, admin.issuer));
    if (done !== undefined) out.note(done);
  });
}
