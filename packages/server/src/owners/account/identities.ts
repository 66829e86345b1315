/** Identities from trusted issuers that are linked to a person: what the person sees of them, and how they remove one. */

import type { Millis } from "../../oauth/model.ts";
import type { Catalog } from "../../oauth/storage.ts";
import type { Uses } from "../../storage-subset.ts";
import { type NewsContext, newsFor } from "../account-change-mail.ts";
import type { FactorChange } from "../change-factors.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage, RemoveIdentityOutcome } from "../storage.ts";

export interface IdentityContext extends NewsContext {
  readonly storage: NewsContext["storage"] & Uses<OwnerStorage, "subjectLinks.ofPerson" | "subjectLinks.remove">;
  readonly catalog: Pick<Catalog, "issuers">;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

export interface Identity {
  readonly id: string;
  /** The identifier of the issuer. */
  readonly issuer: string;
  readonly since: Millis;
}

/** Oldest first. An issuer that was deleted a moment ago has none. */
export async function identitiesOf(
  { partition, personId }: Person,
  { storage, catalog }: IdentityContext,
): Promise<readonly Identity[]> {
  const links = await storage.subjectLinks.ofPerson({ partition, personId });
  if (links.length === 0) return [];
  const issuers = new Map([...(await catalog.issuers()).values()].map(({ id, issuer }) => [id, issuer]));
  return links.flatMap(({ link, issuerId, createdAt }) => {
    const issuer = issuers.get(issuerId);
    return issuer === undefined ? [] : [{ id: link, issuer, since: createdAt }];
  });
}

/** `last`: without a password and a passkey, the person has no other way in. `unknown`: it isn't theirs, or the session has ended. */
export async function removeIdentity(
  { person, session: { sessionId }, address, news }: FactorChange,
  id: string,
  context: IdentityContext,
): Promise<RemoveIdentityOutcome> {
  const own = (await identitiesOf(person, context)).find((one) => one.id === id);
  if (own === undefined) return "unknown";
  const { partition, personId } = person;
  const values = { ...news.values, key: own.issuer };
  const mails = await newsFor(person, "identityRemoved", { ...news, values }, context);
  const asked = { partition, personId, link: id, sessionId, mails, now: context.now() };
  const outcome = await context.storage.subjectLinks.remove(asked);
  if (outcome === "removed") {
    context.mail.kick();
    context.event("subject_unlinked", { owner: personId, issuer: own.issuer, address });
  }
  return outcome;
}
