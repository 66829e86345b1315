/** The company that a person chose last for an app, also if they can't choose it any more. */

import type { Consent, Millis } from "../oauth/model.ts";

/** The last answer of a person for a company, also one for this once alone. */
export interface LastCompany {
  readonly companyId: string;
  readonly chosenAt: Millis;
}

/** The person's own consent to an app, with any status, and the company for which they last answered it. */
export interface OwnChoices {
  readonly consent: Consent | undefined;
  readonly lastCompany: LastCompany | undefined;
}

/** The storage port. The company's own record of the answer goes when an admin blocks the app or removes the person. */
export interface LastCompanyStorage {
  readonly lastCompanies: {
    /** Replaces the earlier one. */
    note(
      args: LastCompany & { readonly partition: number; readonly personId: string; readonly clientId: string },
    ): Promise<void>;
    /** For all apps, by `client_id`. */
    list(args: { readonly partition: number; readonly personId: string }): Promise<ReadonlyMap<string, LastCompany>>;
  };
}

/** The owner whom a person chose last for an app, also if they can't choose it any more or have revoked it since. */
export interface LastOwner {
  readonly ownerId: string;
  readonly chosenAt: Millis;
}

/** Undefined: the person has not chosen on a page, or earlier versions stored nothing about it. */
export function lastOwnerOf(personId: string, { consent, lastCompany }: OwnChoices): LastOwner | undefined {
  const own = Math.abs(consent?.status === "active" ? ownAnswerAt(consent) : (consent?.chosenAt ?? 0));
  if (lastCompany !== undefined && lastCompany.chosenAt > own)
    return { ownerId: lastCompany.companyId, chosenAt: lastCompany.chosenAt };
  return own === 0 ? undefined : { ownerId: personId, chosenAt: own };
}

/** True: the person chose another owner after this one, whom they last chose at `chosenAt` (0: never). */
export function isOvertaken(ownerId: string, chosenAt: Millis, last: LastOwner | undefined): boolean {
  return last !== undefined && last.ownerId !== ownerId && last.chosenAt > chosenAt;
}

/** When the person last answered for themselves. Negative: they asked since to be asked again. 0: on no page. */
export function ownAnswerAt(consent: Consent | undefined): Millis {
  if (consent?.status !== "active") return 0;
  const { chosenAt, via, updatedAt } = consent;
  // Earlier versions stored no time of the choice.
  return chosenAt ?? (via === "browser" || via === "device" ? updatedAt : 0);
}
