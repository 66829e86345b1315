/**
 * Another system says of a person whom it knows that they were disabled, enabled, deleted or signed out. Every way in
 * which the server can learn of that ends here.
 */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage } from "../storage.ts";
import type { ForeignSubject } from "../subject-link-storage.ts";
import type { UpstreamChange, UpstreamChangeOutcome, WhenDisabled } from "../upstream-change-storage.ts";

/** The system that says so, and what its word does. */
export interface ChangeSource {
  /** What people call it. */
  readonly name: string;
  readonly whenDisabled: WhenDisabled;
  /** True: its people have no other way to sign in here that is not theirs there, so every session of theirs counts. */
  readonly wholePerson: boolean;
  /** True: it is a company's, so it can disable only accounts that it made. Of others, it ends the sessions there. */
  readonly ofCompany?: boolean;
}

/** How the operator's application tells of changes to its people. */
export interface ApplicationChanges {
  /** What people call the application. */
  readonly name: string;
  /** Client IDs. */
  readonly clients: readonly string[];
  /** Absent: `pause`. */
  readonly whenDisabled?: "pause" | "end";
}

export function applicationSource({ name, whenDisabled = "pause" }: ApplicationChanges): ChangeSource {
  return { name, whenDisabled, wholePerson: true };
}

export interface UpstreamChangeContext {
  readonly storage: Uses<OwnerStorage, "people.upstreamChanged" | "subjectLinks.findPerson" | "subjectLinks.ofPerson">;
  /** Tells the apps of ended sessions at once. Absent: it takes a few seconds. */
  tellApps?(): void;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
  now(): Millis;
}

/** `unknown`: nobody here has this identity. Repeating a call changes nothing. */
export async function upstreamChanged(
  subject: ForeignSubject,
  change: UpstreamChange,
  source: ChangeSource,
  { storage, tellApps, event, now }: UpstreamChangeContext,
): Promise<UpstreamChangeOutcome> {
  const person = await storage.subjectLinks.findPerson({ subject });
  const { ofCompany = false, ...said } = source;
  const theirs = !ofCompany || person === undefined || (await isMadeBy(person, subject, { storage }));
  const outcome: UpstreamChangeOutcome =
    person === undefined
      ? { kind: "unknown", sessionsEnded: 0 }
      : await storage.people.upstreamChanged({
          ...{ partition: person.partition, personId: person.personId, subject, change },
          ...{ ...said, ...(theirs ? {} : { whenDisabled: "keep" as const }), now: now() },
        });
  const { kind: result, sessionsEnded } = outcome;
  const owner = person?.personId ?? null;
  event("upstream_change", { owner, source: subject.issuerId, change, result, sessions_ended: sessionsEnded });
  if (sessionsEnded > 0) tellApps?.();
  return outcome;
}

/** Whether the provider's first sign-in with this subject made the account. */
export async function isMadeBy(
  { partition, personId }: Person,
  { issuerId, claim, subject }: ForeignSubject,
  { storage }: { readonly storage: Uses<OwnerStorage, "subjectLinks.ofPerson"> },
): Promise<boolean> {
  const links = await storage.subjectLinks.ofPerson({ partition, personId });
  return links.some(
    (link) =>
      link.issuerId === issuerId && link.claim === claim && link.subject === subject && link.madeBy === "first use",
  );
}
