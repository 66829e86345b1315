/**
 * Which apps a company's admins can find and open: those that members use or asked for, those that the operator has
 * verified, those that act for the company through another app, and those that the operator connected with another server for
 * the company, or offers to connect. The names of other registered apps are nobody's business.
 */

import type { Client } from "../../oauth/model.ts";
import { appliesTo } from "../company-connections.ts";
import { type PageOf, pageOf } from "../paging.ts";
import type { AsMember, CompanyContext } from "./context.ts";

/** Minimum length of a search for apps that the company does not know, in characters. */
const LEAST_TYPED = 2;
/** Maximum number of apps that a search shows beside those of the company. */
export const FOUND_SHOWN = 20;
const VERIFIED_AT_ONCE = 500;
/** Maximum number of verified apps that one search reads. */
const VERIFIED_READ = 5_000;

/** The form in which names and searches are compared. */
function plain(text: string): string {
  return text.normalize("NFKC").toLocaleLowerCase("en");
}

/** True: the name has the typed text somewhere. Everything matches an empty text. */
export function hasText(name: string, typed: string): boolean {
  return plain(name).includes(plain(typed.trim()));
}

/** True: the name, or a word of it, begins with the typed text, which has at least two characters. */
export function beginsWith(name: string, typed: string): boolean {
  const wanted = plain(typed.trim());
  if ([...wanted].length < LEAST_TYPED) return false;
  const all = plain(name);
  return all.startsWith(wanted) || all.split(/[^\p{L}\p{M}\p{N}]+/u).some((word) => word.startsWith(wanted));
}

/** Verified apps by their name in any language. `more`: there are others. */
export async function findVerified(
  typed: string,
  { storage }: CompanyContext,
): Promise<{ readonly clients: readonly Client[]; readonly more: boolean }> {
  const found: Client[] = [];
  let after: string | null = null;
  for (let read = 0; read < VERIFIED_READ; read += VERIFIED_AT_ONCE) {
    const from: string | null = after;
    const { items, last }: PageOf<Client> = await pageOf(VERIFIED_AT_ONCE, (limit) =>
      storage.companyApps.listVerified({ limit, after: from }),
    );
    found.push(...items.filter((client) => client.status === "active" && isNamed(client, typed)));
    if (last === undefined || found.length > FOUND_SHOWN) break;
    after = last.clientId;
  }
  return { clients: found.slice(0, FOUND_SHOWN), more: found.length > FOUND_SHOWN };
}

function isNamed({ name, names = {} }: Pick<Client, "name" | "names">, typed: string): boolean {
  return [name, ...Object.values(names)].some((one) => beginsWith(one, typed));
}

/**
 * True: the company's admins may see the app. An app that they may not see looks like one that does not exist, whatever
 * its id is.
 */
export async function maySee({ key }: AsMember, clientId: string, context: CompanyContext): Promise<boolean> {
  const { storage, catalog } = context;
  const client = await catalog.client(clientId);
  if (client?.verified === true && client.status === "active") return true;
  // The operator lets this company connect the app with another server, or did so: its admins need the rule about it.
  if (client !== undefined && appliesTo(key.companyId, client)) return true;
  const owner = { partition: key.partition, ownerId: key.companyId };
  const [rules, consent, requests, delegations] = await Promise.all([
    storage.companyApps.listRules(key),
    storage.consents.find({ ...owner, clientId }),
    storage.companyApps.listRequests({ ...key, limit: MOST_REQUESTS }),
    storage.delegations.list(owner),
  ]);
  const isKnown = [...rules, ...requests].some((one) => one.clientId === clientId) || consent !== undefined;
  return isKnown || delegations.some(({ actorId }) => actorId === clientId);
}

/** The maximum number of open requests. */
export const MOST_REQUESTS = 200;
