/** Access that counts again after a change of an operator, in sentences. */

import type { Client } from "../oauth/model.ts";
import { unexpired } from "../owners/consent-after-decision.ts";
import { type AdminContext, ceilingFor } from "./context.ts";
import { counted } from "./counted.ts";
import { consentsOf, impactOfClient, lastsUnder, MOST_COUNTED } from "./deletion-impact.ts";
import { clientsNaming, isBuiltInScope } from "./scopes-and-resources.ts";

/** Number of clients that a sentence names. */
const NAMED = 5;

const consentsText = (count: number) =>
  count > MOST_COUNTED ? `more than ${counted(MOST_COUNTED, "consent")}` : counted(count, "consent");

/** What another status of a client or a company means for its consents, of which none ends. `owned`: whose they are. */
export function statusNotes(noun: string, isDisabled: boolean, consents: number, owned = ""): readonly string[] {
  if (consents === 0) return [];
  const some = consentsText(consents);
  if (!isDisabled) return [`These count again: ${some}. With them, apps get access without asking the owner.`];
  const they = consents === 1 ? "It counts" : "They count";
  return [
    `${some}${owned} will stay. ${they} again when you enable the ${noun} again: then apps get access without asking the owner.`,
  ];
}

/** The clients that may ask for a new scope at once, because a deleted one of this name has left them. */
export async function registeredNotes(name: string, context: AdminContext): Promise<readonly string[]> {
  const ids = isBuiltInScope(name) ? [] : await clientsNaming(name, context);
  if (ids.length === 0) return [];
  const which = `${ids.slice(0, NAMED).join(", ")}${ids.length > NAMED ? ", …" : ""}`;
  return [
    `${counted(ids.length, "client")} (${which}) ${ids.length === 1 ? "is" : "are"} registered for a deleted scope of this name, and may ask for the new one now. To take the scope from a client, run: assent client update CLIENT_ID --remove-scope ${name} (or --remove-own-scope ${name})`,
  ];
}

/** Says which access a client gets back if it gets a scope, a grant type or a higher limit of consents. */
export async function returnNotes(before: Client, after: Client, context: AdminContext): Promise<readonly string[]> {
  const won = (of: (client: Client) => readonly string[]) => of(after).filter((one) => !of(before).includes(one));
  const scopes = won((client) => client.scopes);
  const { consents, named, names } = await returningConsents(before, after, scopes, context);
  const notes: string[] = [];
  const alone = "without asking the owner, also with refresh tokens from before.";
  if (named > 0)
    notes.push(
      `These count again for ${scopes.filter((one) => names.has(one)).join(", ")}: ${consentsText(named)}. With them, the app gets this access ${alone}`,
    );
  if (consents > 0)
    notes.push(
      `The earlier limit had ended these, and they count again: ${consentsText(consents)}. With them, the app gets access ${alone}`,
    );
  if (won((client) => client.grantTypes).includes("refresh_token")) {
    const { grants } = await impactOfClient(after.clientId, context);
    if (grants > 0) notes.push("Refresh tokens from before work again, until they expire.");
  }
  return notes;
}

/**
 * How many consents count again by a change: `consents` by a higher limit, which had ended them, and `named` by scopes that the
 * client has got and that they name, which are in `names`. Counts up to `MOST_COUNTED`.
 */
async function returningConsents(
  before: Client,
  after: Client,
  scopes: readonly string[],
  context: AdminContext,
): Promise<{ readonly consents: number; readonly named: number; readonly names: ReadonlySet<string> }> {
  const [old, ceiling] = [ceilingFor(before, context), ceilingFor(after, context)];
  const isRaised = old !== null && (ceiling === null || ceiling > old);
  let [consents, named] = [0, 0];
  const names = new Set<string>();
  if (!isRaised && scopes.length === 0) return { consents, named, names };
  const now = context.now();
  for await (const consent of consentsOf(before.clientId, context)) {
    const left = unexpired(consent, { ceiling }, now);
    const found = left.filter(({ name }) => scopes.includes(name));
    if (found.length > 0) named += 1;
    for (const { name } of found) names.add(name);
    if (left.length > 0 && isRaised && !lastsUnder(consent, old, now)) consents += 1;
  }
  return { consents, named, names };
}
