/** Who could no longer sign in without a provider. */

import type { Uses } from "../../storage-subset.ts";
import type { FactorStorage } from "../factor-storage.ts";
import { knowsPassword } from "../person.ts";
import type { OwnerStorage } from "../storage.ts";
import type { SubjectLink } from "../subject-link-storage.ts";
import { EXISTING_PEOPLE } from "./password-keeper.ts";
import type { SignInProvider } from "./sign-in-provider.ts";

export type ImpactStorage = Uses<OwnerStorage, "people.get" | "subjectLinks.ofPerson" | "subjectLinks.list"> &
  Uses<FactorStorage, "passkeys.list">;

/** Maximum number of links that are looked at. */
export const MOST_CONNECTED = 1000;
/** Links that are read at a time. */
const PAGE = 100;

export interface ProviderImpact {
  readonly provider: SignInProvider;
  /** People who can sign in there. */
  readonly people: number;
  /** Of these, people with no password, no passkey and no other provider. */
  readonly stranded: number;
  /** False: there are more links than `MOST_CONNECTED`, and only these were counted. */
  readonly all: boolean;
}

/** `others`: the providers at which people can sign in without it. */
export async function impactOfProvider(
  provider: SignInProvider,
  others: readonly SignInProvider[],
  storage: ImpactStorage,
): Promise<ProviderImpact> {
  const seen = new Set<string>();
  let stranded = 0;
  let after: SubjectLink | null = null;
  for (let read = 0; read < MOST_CONNECTED; read += PAGE) {
    const links: readonly SubjectLink[] = await storage.subjectLinks.list({
      issuerId: provider.id,
      limit: PAGE,
      after,
    });
    for (const link of links) {
      if (link.claim !== provider.issuer || seen.has(link.ownerId)) continue;
      seen.add(link.ownerId);
      if (!(await hasOtherWayIn(link, others, storage))) stranded += 1;
    }
    after = links.at(-1) ?? null;
    if (links.length < PAGE) return { provider, people: seen.size, stranded, all: true };
  }
  return { provider, people: seen.size, stranded, all: false };
}

export async function hasOtherWayIn(
  { partition, ownerId: personId }: Pick<SubjectLink, "partition" | "ownerId">,
  others: readonly SignInProvider[],
  storage: ImpactStorage,
): Promise<boolean> {
  const person = await storage.people.get({ partition, personId });
  if (person === undefined || knowsPassword(person)) return true;
  if ((await storage.passkeys.list({ partition, personId })).length > 0) return true;
  const links = await storage.subjectLinks.ofPerson({ partition, personId });
  // Without a password here, the operator's application has kept it.
  const isWayIn = ({ issuerId, claim }: SubjectLink) =>
    issuerId === EXISTING_PEOPLE || others.some(({ id, issuer }) => id === issuerId && issuer === claim);
  return links.some(isWayIn);
}
