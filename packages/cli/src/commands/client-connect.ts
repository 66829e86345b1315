/** `assent client connect`: other authorization servers at which an app may act for people of this server, by ID-JAGs. */

import type {
  Client,
  ClientImpactRecord,
  Connection,
  ConnectionImpactRecord,
  ExchangeObstacle,
  TokenExchangePolicy,
} from "@assent/server/admin";
import type { Command } from "commander";
import { UsageError } from "../command-errors.ts";
import { confirmOnTerminal, type YesOption, yesOption } from "../confirm.ts";
import { type JsonOption, listOption, verb, withAdmin } from "../shared-options.ts";
import { clientImpact, peopleOf } from "./client-ending.ts";

export interface ConnectOptions extends JsonOption {
  readonly audience: string;
  readonly clientIdThere?: string;
  readonly company?: string;
  readonly scope?: readonly string[];
  readonly resource?: readonly string[];
  readonly offer?: string;
  readonly scopeText?: readonly string[];
  readonly pause?: true;
  readonly off?: true;
}

export function registerConnect(client: Command): void {
  verb(
    client,
    "connect <client-id>",
    "let an app act at another authorization server for people who signed in here (ID-JAG); settings that you omit stay the same; lists replace the old ones",
  )
    .requiredOption("--audience <issuer>", "the issuer of the other authorization server")
    .option("--client-id-there <id>", "the app's client_id at that server")
    .option("--company <slug>", "the connection is for members of this company; default: for everybody here")
    .addOption(
      listOption("--scope <scopes>", "the most that an ID-JAG can have, in scopes of that server", { words: true }),
    )
    .addOption(listOption("--resource <api>", "an API of that server that an ID-JAG can name"))
    .option(
      "--offer <name>",
      "only offer it: it counts for a company when its admins connect it; they find the other server by this name",
    )
    .addOption(listOption("--scope-text <scope=text>", "what a scope of that server means, in words for people"))
    .option("--pause", "give no ID-JAGs for now; connect again without this option to go on")
    .option("--off", "delete the connection, or withdraw the offer")
    .addOption(yesOption("on a terminal, don't ask for confirmation"))
    .addHelpText(
      "after",
      `
The client also needs the grant type: assent client update CLIENT_ID --add-grant-type token-exchange

Example:
  assent client connect wiki --audience https://as.chat.example --client-id-there wiki-at-chat --company acme --scope chat:read
  assent client connect wiki --audience https://as.chat.example --client-id-there wiki-at-chat --scope chat:read \\
    --offer Chat --scope-text "chat:read=Read your chats"`,
    )
    .action(connect);
}

/**
 * The connections after the command. An offer stays one: it never becomes a connection for everybody by a change of its
 * scopes. `company`: the id of the company that it names, or null. */
export function connectionsAfter(
  present: readonly Connection[],
  { audience, clientIdThere, scope, resource, offer, scopeText, pause, off }: ConnectOptions,
  company: string | null,
): readonly Connection[] {
  const isThis = (one: Connection) => one.audience === audience && one.company === company;
  const before = present.find(isThis);
  const others = present.filter((one) => !isThis(one));
  if (off === true) {
    if (before === undefined) throw new UsageError("there is no such connection");
    return others;
  }
  const clientId = clientIdThere ?? before?.clientId;
  if (clientId === undefined) throw new UsageError("a new connection needs --client-id-there");
  const scopes = [...new Set(scope ?? before?.scopes ?? [])];
  const resources = [...new Set((resource ?? before?.resources ?? []).filter((one) => one !== ""))];
  const isOffer = before?.status === "offered" || offer !== undefined;
  if (isOffer && pause === true) throw new UsageError("an offer can't be paused: to withdraw it, use --off");
  const name = offer ?? before?.name;
  const kept = Object.entries(before?.texts ?? {}).filter(([one]) => scopes.includes(one));
  const texts = Object.fromEntries(scopeText === undefined ? kept : scopeText.map(wordsOf));
  const status = pause === true ? "paused" : isOffer ? "offered" : "active";
  return [
    ...others,
    {
      ...{ audience, company, clientId, scopes, resources, status },
      ...(name === undefined ? {} : { name }),
      ...(Object.keys(texts).length === 0 ? {} : { texts }),
    },
  ];
}

/** How a command takes a connection from people. */
type Ending = "withdrawn" | "deleted" | "offered" | "renamed" | "narrowed";

/** Undefined: nobody loses the connection or the offer `before`, unless the offer gives too little from now on (`narrowed`). */
function endingOf(
  before: Connection | undefined,
  { clientIdThere, offer, off }: Pick<ConnectOptions, "clientIdThere" | "offer" | "off">,
): Ending | undefined {
  if (before === undefined) return undefined;
  const isOffer = before.status === "offered";
  if (off === true) return isOffer ? "withdrawn" : "deleted";
  if (!isOffer) return offer === undefined ? undefined : "offered";
  return clientIdThere === undefined || clientIdThere === before.clientId ? undefined : "renamed";
}

const DOING: Readonly<Record<Ending, string>> = {
  withdrawn: "Withdrawing this offer",
  deleted: "Deleting this connection",
  offered: "Making an offer of this connection",
  renamed: "Another client ID at that server",
  narrowed: "This change of the offer",
};

/** What the operator reads before the connection ends. */
function questionOf(ending: Ending, who: string, app: string, audience: string): string {
  const again =
    ending === "withdrawn"
      ? " If you make the same offer again, they are connected again."
      : ending === "deleted"
        ? ""
        : " Companies' admins can connect it again.";
  return `${DOING[ending]} disconnects ${who}: ${app} gets no new access at ${audience} for them. The access that it already has there lasts until ${audience} ends it.${again}`;
}

/** Who loses a connection or an offer, as it was counted before. */
export interface KnownLoss {
  /** As in `peopleOf`. Undefined: nobody. */
  readonly who: string | undefined;
  /** Number of companies that it gave something before. */
  readonly companies: number;
  /** Companies with their members that keep a part of it. Undefined: none. */
  readonly less?: string;
  /** How somebody loses it. */
  readonly ending: Ending | undefined;
}

/**
 * Asks before somebody loses the connection or the offer `before`. Returns who does. Null: nobody counted it.
 *
 * @param after all connections of the client.
 * @param impact of the client. Undefined: nobody counted it.
 * @param on the server, over the network.
 */
export async function confirmEnding(
  before: Connection | undefined,
  after: readonly Connection[],
  impact: ClientImpactRecord | undefined,
  options: ConnectOptions & YesOption,
  on = "",
): Promise<KnownLoss | null> {
  const found = impact?.connections.find((one) => one.audience === before?.audience && one.company === before.company);
  if (impact === undefined || before === undefined || found === undefined) return null;
  const { choiceOf, lossOf } = await import("@assent/server/admin");
  // An earlier version of the server doesn't tell what admins chose.
  const choices = (found as Partial<ConnectionImpactRecord>).choices?.map(choiceOf);
  const loss =
    choices && lossOf({ connection: before, companies: found.companies, members: found.members, choices }, after);
  const { companies, members } = loss?.lost ?? found;
  const who = loss?.instead === undefined ? peopleOf({ ...found, companies, members }) : undefined;
  const isNarrowed = before.status === "offered" && loss !== undefined && loss.lost.companies > 0;
  const ending = endingOf(before, options) ?? (isNarrowed ? "narrowed" : undefined);
  if (ending !== undefined && who !== undefined) {
    const app = `${impact.client_name} (${impact.client_id})`;
    await confirmOnTerminal(`${on}${questionOf(ending, who, app, before.audience)}`, options);
  }
  const less = loss && loss.less.companies > 0 ? peopleOf({ ...found, ...loss.less }) : undefined;
  return { who, companies: found.companies, ending, ...(less !== undefined && { less }) };
}

/**
 * What an offer, a pause, or the end of a connection or an offer means for companies. `known`: who loses it; null: nobody
 * counted them. Returns undefined if nothing needs to be said.
 */
export function connectionNote(
  present: readonly Connection[],
  options: ConnectOptions,
  company: string | null,
  known: KnownLoss | null = null,
): string | undefined {
  const { audience, offer, pause } = options;
  const before = present.find((one) => one.audience === audience && one.company === company);
  const lasts = `The access that it already has there lasts until ${audience} ends it.`;
  const ended = known?.who === undefined ? "" : ` Disconnected: ${known.who}.`;
  const less = known?.less === undefined ? "" : `The offer gives less to ${known.less}. `;
  switch (known?.ending ?? endingOf(before, options)) {
    case "withdrawn": {
      const some =
        known !== null && known.who === undefined
          ? known.companies === 0
            ? " No company had connected it."
            : " Companies that connected it stay connected by the offer for all companies."
          : `${ended} Companies that connected it are no longer connected, and are again if you make the same offer again.`;
      return `The offer is withdrawn: the app gets no new access through it.${some} ${lasts}`;
    }
    case "deleted":
      return `The connection is deleted: the app gets no new access through it.${ended} ${lasts}`;
    case "offered":
      return `The connection has ended, and is an offer now: it counts for a company when its admins connect it.${ended} ${lasts}`;
    case "renamed":
      return `The offer has another client ID: companies that connected it before must connect it again.${ended} ${lasts}`;
    case "narrowed":
      return `The offer has nothing left of what some companies connected: their admins must connect it again.${ended} ${less}${lasts}`;
    case undefined:
      if (less !== "") return `${less}${lasts}`;
  }
  if (pause === true && before?.status === "active")
    return `Paused: the app gets no new access there until you connect it again without --pause. ${lasts}`;
  if (offer === undefined || before !== undefined) return undefined;
  return "Offered: it counts for a company when its admins connect it, or if they connected the same offer before.";
}

/** An obstacle, and the options of `client update` that remove it, in words. */
interface Remedy {
  readonly why: string;
  readonly how: string;
  readonly change: string;
}

const REMEDIES: Readonly<Record<ExchangeObstacle, Remedy>> = {
  disabled: { why: "is disabled", how: "enable it", change: "--status active" },
  "no grant type": {
    why: "doesn't have the grant type token-exchange",
    how: "add it",
    change: "--add-grant-type token-exchange",
  },
};

/** What to do if the client's connections and offers have no effect. Empty: they have one, or the command ends one. */
export async function effectRemarks(
  client: Pick<Client, "clientId" | "status" | "grantTypes">,
  { audience, off }: Pick<ConnectOptions, "audience" | "off">,
): Promise<readonly string[]> {
  if (off === true) return [];
  const { exchangeObstacles } = await import("@assent/server/admin");
  return exchangeObstacles(client).map((obstacle) => {
    const { why, how, change } = REMEDIES[obstacle];
    return `this client ${why}, so the app gets no access at ${audience}, and companies' admins can't connect it there. To ${how}, run: assent client update ${client.clientId} ${change}`;
  });
}

function wordsOf(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`--scope-text ${JSON.stringify(text)}: write SCOPE=TEXT`);
  return [text.slice(0, at), text.slice(at + 1)];
}

async function connect(clientId: string, options: ConnectOptions & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { changeClient, clientOf, clientRecord, companyBySlug, NO_EXCHANGE } = await import("@assent/server/admin");
    const { audience, company: slug } = options;
    const company = slug === undefined ? null : (await companyBySlug(slug, admin)).companyId;
    const { tokenExchange } = await clientOf(clientId, admin);
    const present = tokenExchange?.connections ?? [];
    const connections = connectionsAfter(present, options, company);
    const before = present.find((one) => one.audience === audience && one.company === company);
    const known = await confirmEnding(before, connections, await clientImpact(clientId, admin), options);
    const policy: TokenExchangePolicy = { ...NO_EXCHANGE, ...tokenExchange, connections };
    const { client, notes } = await changeClient(clientId, { tokenExchange: policy }, admin);
    for (const remark of await effectRemarks(client, options)) out.warn(remark);
    out.record(clientRecord(client, admin.issuer));
    for (const one of notes) out.note(one);
    const note = connectionNote(present, options, company, known);
    if (note !== undefined) out.note(note);
  });
}
