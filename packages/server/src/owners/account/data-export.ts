/** All that is kept about a person, for them to take along. */

import type { ListedGrant } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import type { Acting, CompanyStorage } from "../company-storage.ts";
import type { FactorStorage, Passkey, SecondFactor } from "../factor-storage.ts";
import type { KnownDevice, KnownDeviceStorage } from "../known-device-storage.ts";
import type { Person } from "../person.ts";
import type { Address, RecoveryStorage, RemovedFactor } from "../recovery/storage.ts";
import type { ApiUse, ConsentWithGrants, HistoryEntry, OwnerStorage, ScopeUse, Session } from "../storage.ts";
import type { SubjectLink } from "../subject-link-storage.ts";
import type { Picture, PictureStorage } from "./picture-storage.ts";

export interface DataExportContext {
  readonly storage: Uses<
    OwnerStorage,
    "sessions.list" | "consents.list" | "scopeUses.list" | "apiUses.list" | "history.list" | "subjectLinks.ofPerson"
  > &
    Uses<KnownDeviceStorage, "knownDevices.list"> &
    Uses<CompanyStorage, "members.companiesOf" | "companyApps.grantsOfMember"> &
    Uses<FactorStorage, "passkeys.list" | "secondFactors.get"> &
    Uses<RecoveryStorage, "recovery.removedFactors" | "people.addresses"> &
    Uses<PictureStorage, "pictures.ofPerson">;
  now(): number;
}

/** Maximum number of entries of the history; the newest are taken. */
const MOST_ENTRIES = 10_000;

/** A person's place in a company, and the grants by which apps act there by their word. What the company decided is the company's. */
export interface InCompany extends Acting {
  readonly grants: readonly ListedGrant[];
}

export interface PersonalData {
  readonly sessions: readonly Session[];
  readonly devices: readonly KnownDevice[];
  readonly apps: readonly ConsentWithGrants[];
  readonly uses: readonly ScopeUse[];
  readonly apis: readonly ApiUse[];
  /** Newest first. */
  readonly history: readonly HistoryEntry[];
  readonly companies: readonly InCompany[];
  readonly passkeys: readonly Passkey[];
  readonly factor: SecondFactor | undefined;
  readonly subjects: readonly SubjectLink[];
  readonly removed: readonly RemovedFactor[];
  readonly addresses: readonly Address[];
  readonly picture: Picture | undefined;
}

export async function personalData(
  { partition, personId }: Person,
  { storage, now: clock }: DataExportContext,
): Promise<PersonalData> {
  const now = clock();
  const person = { partition, personId };
  const owner = { partition, ownerId: personId };
  const [
    sessions,
    devices,
    apps,
    uses,
    apis,
    history,
    acting,
    passkeys,
    factor,
    subjects,
    removed,
    addresses,
    picture,
  ] = await Promise.all([
    storage.sessions.list({ ...person, now }),
    storage.knownDevices.list(person),
    storage.consents.list({ ...owner, now }),
    storage.scopeUses.list(owner),
    storage.apiUses.list(owner),
    storage.history.list({ ...owner, before: null, limit: MOST_ENTRIES }),
    storage.members.companiesOf({ ...person, clientId: null, now }),
    storage.passkeys.list(person),
    storage.secondFactors.get(person),
    storage.subjectLinks.ofPerson(person),
    storage.recovery.removedFactors({ ...person, removalId: null, now }),
    storage.people.addresses({ ...person, now }),
    storage.pictures.ofPerson(person),
  ]);
  const companies = await Promise.all(
    acting.map(async (one) => {
      const { partition: place, companyId } = one.company;
      const grants = await storage.companyApps.grantsOfMember({ partition: place, companyId, personId, now });
      return { ...one, grants };
    }),
  );
  return {
    sessions,
    devices,
    apps,
    uses,
    apis,
    history,
    companies,
    passkeys,
    factor,
    subjects,
    removed,
    addresses,
    picture,
  };
}
