/**
 * A company's admins connect apps with other servers for their members: only what the operator offers, and no more of it
 * than they choose. Operators' own connections for the company are listed beside them.
 */

import type { Client, Connection, Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import type { CompanyConnection, CompanyConnectionStorage } from "../company-connection-storage.ts";
import { applying, connectionUnder, mayExchange, offerAt, serverName } from "../company-connections.ts";
import type { CompanyKey, CompanyStorage } from "../company-storage.ts";
import { isPaused } from "../consent-after-decision.ts";
import { type AsMember, askedBy, type CompanyContext } from "./context.ts";

/** One app and one other server. */
export interface Pair {
  readonly clientId: string;
  readonly audience: string;
}

export interface Offer extends Pair {
  readonly client: Client;
  readonly connection: Connection;
}

/**
 * `on`: it gives what it says. `operator`: so does one that the operator made. The others give nothing: `ended`: its time is
 * over. `withdrawn`: the operator does not offer it any more. `altered`: the operator offers something else. `blocked`: the
 * company blocks the app. `paused`: an admin paused the app for the company, until an admin resumes it.
 */
export type ConnectionState = "on" | "operator" | "ended" | "withdrawn" | "altered" | "blocked" | "paused";

export interface ListedConnection extends Pair {
  /** Undefined: it was deleted. */
  readonly client: Client | undefined;
  readonly clientName: string;
  readonly serverName: string;
  readonly state: ConnectionState;
  /** What it gives or, if it gives nothing, gave. */
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly clientIdThere: string;
  readonly texts: Readonly<Record<string, string>>;
  /** Null: until the operator changes it. */
  readonly endsAt: Millis | null;
  /** Undefined: an operator made it. */
  readonly made: CompanyConnection | undefined;
}

type ListStorage = Uses<CompanyConnectionStorage, "companyConnections.list" | "companyConnections.listClients"> &
  Uses<CompanyStorage, "companyApps.list" | "companyApps.listRules">;

interface ListContext {
  readonly storage: ListStorage;
  now(): Millis;
}

const CLIENTS_AT_ONCE = 500;
/** Maximum number of clients with connections that are read. Each was connected by an operator. */
const CLIENTS_READ = 5_000;

async function connectedClients({ storage }: Pick<ListContext, "storage">): Promise<readonly Client[]> {
  const found: Client[] = [];
  while (found.length < CLIENTS_READ) {
    const after = found.at(-1)?.clientId ?? null;
    const some = await storage.companyConnections.listClients({ limit: CLIENTS_AT_ONCE, after });
    found.push(...some);
    if (some.length < CLIENTS_AT_ONCE) break;
  }
  return found;
}

/** Everything that the operator offers the company, sorted by name. */
export async function offersTo({ companyId }: CompanyKey, context: ListContext): Promise<readonly Offer[]> {
  const clients = (await connectedClients(context)).filter(mayExchange);
  const offers = clients.flatMap((client) =>
    applying(companyId, client)
      .filter(({ status }) => status === "offered")
      .map((connection) => ({ client, connection, clientId: client.clientId, audience: connection.audience })),
  );
  return offers.sort((a, b) => order(a.client.name, b.client.name) || order(a.audience, b.audience));
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The company's connections and those that the operator made for it, sorted by name. */
export async function connectionsOf(key: CompanyKey, context: ListContext): Promise<readonly ListedConnection[]> {
  const { storage, now } = context;
  const [own, clients, rules, apps] = await Promise.all([
    storage.companyConnections.list(key),
    connectedClients(context),
    storage.companyApps.listRules(key),
    storage.companyApps.list({ ...key, now: now() }),
  ]);
  const blocked = rules.filter(({ rule }) => rule === "block").map(({ clientId }) => [clientId, "blocked"] as const);
  const paused = apps.filter((app) => isPaused(app.consent)).map((app) => [app.consent.clientId, "paused"] as const);
  return listed(key, { own, clients, stopped: new Map([...paused, ...blocked]) }, now);
}

/** The connections that give one app something for the company's members now, whatever the company's rule about it is. */
export async function connectionsOfApp(
  key: CompanyKey,
  client: Client,
  {
    storage,
    now,
  }: { readonly storage: Uses<CompanyConnectionStorage, "companyConnections.list"> } & Pick<ListContext, "now">,
): Promise<readonly ListedConnection[]> {
  const own = (await storage.companyConnections.list(key)).filter(({ clientId }) => clientId === client.clientId);
  return listed(key, { own, clients: [client], stopped: new Map() }, now).filter(isLive);
}

/** The company's own connections and the operator's, sorted by name. */
function listed(
  key: CompanyKey,
  {
    own,
    clients,
    stopped,
  }: {
    readonly own: readonly CompanyConnection[];
    readonly clients: readonly Client[];
    /** The apps that get nothing, whatever their connections are. */
    readonly stopped: ReadonlyMap<string, "blocked" | "paused">;
  },
  now: () => Millis,
): readonly ListedConnection[] {
  const byId = new Map(clients.map((client) => [client.clientId, client]));
  const ofCompany = own.map((made): ListedConnection => {
    const { clientId, audience, record, endsAt } = made;
    const { clientName, serverName: server, texts, clientIdThere } = record;
    const client = byId.get(clientId);
    const { state, gives } = stateOf(made, client, stopped.get(clientId), now());
    const { scopes, resources } = gives ?? record;
    return {
      ...{ clientId, audience, client, clientName, serverName: server, clientIdThere },
      ...{ state, scopes, resources, texts, endsAt, made },
    };
  });
  const ofOperator = clients.filter(mayExchange).flatMap((client) =>
    applying(key.companyId, client)
      .filter(({ status }) => status === "active")
      .map((connection): ListedConnection => {
        const { clientId, name: clientName } = client;
        const { audience, clientId: clientIdThere, scopes, resources, texts = {} } = connection;
        const state = stopped.get(clientId) ?? "operator";
        return {
          ...{ clientId, audience, client, clientName, serverName: serverName(connection), clientIdThere },
          ...{ state, scopes, resources, texts, endsAt: null, made: undefined },
        };
      }),
  );
  return [...ofCompany, ...ofOperator].sort(
    (a, b) => order(a.clientName, b.clientName) || order(a.audience, b.audience) || order(a.state, b.state),
  );
}

/** The state of the company's own connection, and what it gives. `gives`: undefined unless the state is `on`. */
function stateOf(
  made: CompanyConnection,
  client: Client | undefined,
  stopped: "blocked" | "paused" | undefined,
  now: Millis,
): { readonly state: ConnectionState; readonly gives?: Connection } {
  if (made.endsAt <= now) return { state: "ended" };
  const offer = offerAt(made.companyId, client, made.audience);
  if (offer === undefined) return { state: "withdrawn" };
  const gives = connectionUnder(offer, made, now);
  if (gives === undefined) return { state: "altered" };
  return stopped === undefined ? { state: "on", gives } : { state: stopped };
}

/** True: it gives something now, or will when an admin resumes the app. */
export function stands(connection: ListedConnection): boolean {
  return isLive(connection) || connection.state === "paused";
}

/** True: it gives something now. */
export function isLive({ state }: ListedConnection): boolean {
  return state === "on" || state === "operator";
}

/** What the operator offers for this app and server. Undefined: nothing. */
export async function offerOf(
  { key: { companyId } }: Pick<AsMember, "key">,
  { clientId, audience }: Pair,
  { catalog }: Pick<CompanyContext, "catalog">,
): Promise<Offer | undefined> {
  const client = clientId === "" ? undefined : await catalog.client(clientId);
  const connection = offerAt(companyId, client, audience);
  return client && connection && { client, connection, clientId, audience };
}

/** The connection that an admin of the company made. Undefined: there is none. */
export function ownConnection(
  { key }: Pick<AsMember, "key">,
  { clientId, audience }: Pair,
  { storage }: CompanyContext,
): Promise<CompanyConnection | undefined> {
  return storage.companyConnections.find({ ...key, clientId, audience });
}

/** The company's own connection for an offer, and whether the company blocks the app. */
export interface OfferDetails {
  readonly made: CompanyConnection | undefined;
  /** What `made` gives now. Undefined: nothing. */
  readonly stands: Connection | undefined;
  /** True: the company blocks the app. */
  readonly blocked: boolean;
}

export async function offerDetails(at: AsMember, offer: Offer, context: CompanyContext): Promise<OfferDetails> {
  const { clientId, connection } = offer;
  const [made, rules] = await Promise.all([
    ownConnection(at, offer, context),
    context.storage.companyApps.listRules(at.key),
  ]);
  return {
    made,
    stands: made && connectionUnder(connection, made, context.now()),
    blocked: rules.some((one) => one.clientId === clientId && one.rule === "block"),
  };
}

/** The offers, each with whether the company has a connection of the same app and server. */
export async function offersBeside(
  { key }: Pick<AsMember, "key">,
  context: CompanyContext,
): Promise<readonly (Offer & { readonly connected: boolean })[]> {
  const [offers, own] = await Promise.all([offersTo(key, context), context.storage.companyConnections.list(key)]);
  return offers.map((offer) => ({
    ...offer,
    connected: own.some((one) => one.clientId === offer.clientId && one.audience === offer.audience),
  }));
}

/** All that an admin sees of an offer and agrees to, as one text. */
export function offerText({ client, connection }: Offer): string {
  const { audience, clientId, scopes, resources, name = null, texts = {} } = connection;
  return JSON.stringify([client.clientId, client.name, audience, clientId, scopes, resources, name, texts]);
}

export type ConnectOutcome = "done" | "not_admin" | "changed" | "blocked" | "full" | "gone";

/** `offer`: as the admin saw it. `seen`: `connectedAt` of the connection that the page showed. */
export async function connectApp(
  at: AsMember,
  { client, connection, clientId, audience }: Offer,
  {
    scopes,
    endsAt,
    seen,
  }: { readonly scopes: readonly string[]; readonly endsAt: Millis; readonly seen: Millis | null },
  { storage, now, event }: CompanyContext,
): Promise<ConnectOutcome> {
  const { key } = at;
  const { texts = {} } = connection;
  const outcome = await storage.companyConnections.put({
    ...{ ...key, clientId, audience, endsAt, seen, ...askedBy(at), now: now() },
    record: {
      ...{ clientIdThere: connection.clientId, scopes, resources: connection.resources },
      ...{ clientName: client.name, serverName: serverName(connection) },
      texts: Object.fromEntries(Object.entries(texts).filter(([name]) => scopes.includes(name))),
    },
  });
  if (outcome !== "stored") return outcome === "unknown" ? "not_admin" : outcome;
  event("company_app_connected", {
    ...{ company: key.companyId, client_id: clientId, audience, scope: scopes.join(" "), by: at.person.personId },
  });
  return "done";
}

export async function disconnectApp(
  at: AsMember,
  { clientId, audience }: Pair,
  seen: Millis,
  { storage, now, event }: CompanyContext,
): Promise<"done" | "not_admin" | "changed" | "gone"> {
  const { key } = at;
  const args = { ...key, clientId, audience, seen, ...askedBy(at), now: now() };
  const outcome = await storage.companyConnections.remove(args);
  if (outcome !== "removed") return outcome === "unknown" ? "gone" : outcome;
  event("company_app_disconnected", { company: key.companyId, client_id: clientId, audience, by: at.person.personId });
  return "done";
}

/** True: the company has a connection, or could have one. */
export async function hasConnections(key: CompanyKey, context: ListContext): Promise<boolean> {
  const [own, clients] = await Promise.all([context.storage.companyConnections.list(key), connectedClients(context)]);
  const counts = (client: Client) => applying(key.companyId, client).some(({ status }) => status !== "paused");
  return own.length > 0 || clients.some((client) => mayExchange(client) && counts(client));
}
