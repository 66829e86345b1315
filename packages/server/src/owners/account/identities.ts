/** Identities from trusted issuers that are linked to a person: what the person sees of them, and how they remove one. */

import type { Millis } from "../../oauth/model.ts";
import type { Catalog } from "../../oauth/storage.ts";
import type { Uses } from "../../storage-subset.ts";
import { type NewsContext, newsFor } from "../account-change-mail.ts";
import type { FactorChange } from "../change-factors.ts";
import { KEPT_PASSWORD, type PasswordKeeper } from "../identities/password-keeper.ts";
import type { SignInProvider, SignInProviders } from "../identities/sign-in-provider.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage } from "../storage.ts";
import type { RemoveIdentityOutcome } from "../subject-link-storage.ts";

export interface IdentityContext extends NewsContext {
  readonly storage: NewsContext["storage"] & Uses<OwnerStorage, "subjectLinks.ofPerson" | "subjectLinks.remove">;
  readonly catalog: Pick<Catalog, "issuers"> & SignInProviders;
  readonly keeper: PasswordKeeper | null;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

export interface Identity {
  readonly id: string;
  /** The identifier of the issuer. */
  readonly issuer: string;
  /** The provider at which the person signs in with it. Null: a trusted issuer, whose apps act without a sign-in. */
  readonly provider: SignInProvider | null;
  readonly since: Millis;
}

/** Oldest first. An issuer that was deleted a moment ago has none. */
export async function identitiesOf(
  { partition, personId }: Person,
  { storage, catalog }: IdentityContext,
): Promise<readonly Identity[]> {
  const links = await storage.subjectLinks.ofPerson({ partition, personId });
  if (links.length === 0) return [];
  const [trusted, providers] = await Promise.all([catalog.issuers(), catalog.providers()]);
  const issuers = new Map([...trusted.values()].map(({ id, issuer }) => [id, issuer]));
  return links.flatMap(({ link, issuerId, claim, createdAt }) => {
    const provider = providers.get(issuerId) ?? null;
    const issuer = provider === null ? issuers.get(issuerId) : (claim ?? provider.issuer);
    return issuer === undefined ? [] : [{ id: link, issuer, provider, since: createdAt }];
  });
}

/** `last`: the person has no other way in. `unknown`: it isn't theirs, or the session has ended. */
export async function removeIdentity(
  { person, session: { sessionId }, address, news }: FactorChange,
  id: string,
  context: IdentityContext,
): Promise<RemoveIdentityOutcome> {
  const own = (await identitiesOf(person, context)).find((one) => one.id === id);
  if (own === undefined) return "unknown";
  // Passwords and passkeys don't sign in there.
  if (own.provider?.ownPage === "only") return "last";
  const { partition, personId } = person;
  const values = { ...news.values, key: own.provider?.name ?? own.issuer };
  const kind = own.provider === null ? "identityRemoved" : "identityDisconnected";
  const mails = await newsFor(person, kind, { ...news, values }, context);
  const active = [...(await context.catalog.providers()).values()].filter(({ status }) => status === "active");
  const atProviders = active.map(({ id: issuerId, issuer }) => ({ issuerId, claim: issuer }));
  const waysIn = context.keeper === null ? atProviders : [...atProviders, KEPT_PASSWORD];
  const asked = { partition, personId, link: id, waysIn, sessionId, mails, now: context.now() };
  const outcome = await context.storage.subjectLinks.remove(asked);
  if (outcome === "removed") {
    context.mail.kick();
    context.event("subject_unlinked", { owner: personId, issuer: own.issuer, address });
  }
  return outcome;
}
