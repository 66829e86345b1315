/** Sessions of people: how they begin, are found and end, and whether one is good enough for sensitive changes. */

import { isAsSure } from "../oauth/authentication-context.ts";
import type { Millis } from "../oauth/model.ts";
import type { Credential } from "../oauth/ports.ts";
import type { Uses } from "../storage-subset.ts";
import { type NewsContext, newsFor } from "./account-change-mail.ts";
import type { FactorStorage, Passkey, SecondFactor } from "./factor-storage.ts";
import type { DeviceSeen, DeviceSighting, KnownDeviceStorage } from "./known-device-storage.ts";
import type { Person } from "./person.ts";
import { type PresentedDevice, seenDevice } from "./recognize-known-device.ts";
import { type VouchContext, vouchByUse } from "./recovery/trust-used-factor.ts";
import { authenticationOf, SESSION_ABSOLUTE, SESSION_IDLE, type SignedInBy } from "./session-lifetime-and-level.ts";
import type { OwnerStorage, RecordedSignIn, Session } from "./storage.ts";

export interface SessionContext extends NewsContext, VouchContext {
  readonly storage: NewsContext["storage"] &
    VouchContext["storage"] &
    Uses<
      OwnerStorage,
      | "people.get"
      | ("people.upstreamChanged" | "subjectLinks.findPerson" | "subjectLinks.ofPerson")
      | ("sessions.create" | "sessions.use" | "sessions.list" | "sessions.end" | "sessions.endAll" | "sessions.endOne")
      | "sessions.endUpstream"
    > &
    Uses<FactorStorage, "passkeys.list" | "secondFactors.get"> &
    Uses<KnownDeviceStorage, "knownDevices.get" | "knownDevices.list" | "knownDevices.remember">;
  /** Tells the apps that wait for it that sessions have ended, soon. Otherwise it takes a few seconds. */
  tellApps(): void;
  /** A new random id in a partition. */
  newId(partition: number): string;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
  now(): Millis;
}

/** The live session of a cookie's credential. Undefined: it has ended, or never existed. */
export async function sessionOfCredential(
  { partition, id: sessionId, saltHash: secretHash }: Pick<Credential, "partition" | "id" | "saltHash">,
  { storage, now: clock }: SessionContext,
): Promise<{ readonly session: Session; readonly person: Person } | undefined> {
  const now = clock();
  return storage.sessions.use({ partition, sessionId, secretHash, now, idleUntil: now + SESSION_IDLE });
}

/** The browser that somebody signs in with. */
export interface SigningIn {
  /** Its device cookie, of any person. */
  readonly presented: PresentedDevice | undefined;
  readonly sighting: DeviceSighting;
  /** The browser's `User-Agent`. Null: it sent none. */
  readonly userAgent: string | null;
  /** The browser's name in words. */
  readonly browserName: string | null;
  readonly address: string;
  readonly language: string;
  /** The session that this one replaces. */
  readonly replaces: Pick<Session, "partition" | "sessionId"> | undefined;
  /** The hash for the cookie of the new session. */
  readonly secretHash: Uint8Array;
  /**
   * True: the person has just made the account, or proved who they are, so a message about a new browser is not needed.
   */
  readonly quietly: boolean;
  /** Absent: the session continues another one. */
  readonly begins?: Pick<RecordedSignIn, "when" | "clientId">;
}

/**
 * Begins a session for a person who has just signed in, and ends the browser's previous one. The person gets a message
 * about a browser that is new for them. `seen` undefined: the account changed meanwhile, and the session was not made.
 */
export async function beginSession(
  person: Person,
  { acr, amr, authTime, used, upstream }: SignedInBy,
  at: SigningIn,
  context: SessionContext,
): Promise<{ readonly sessionId: string; readonly seen: DeviceSeen | undefined }> {
  const { storage } = context;
  const { partition, personId, passwordChangedAt } = person;
  const { presented, userAgent, address, language, replaces, secretHash, quietly, begins } = at;
  const sessionId = context.newId(partition);
  const now = context.now();
  const device = presented?.personId === personId ? await seenDevice(presented, storage) : undefined;
  const known = device?.bound === true;
  const values = { browser: at.browserName, address, seenBefore: device !== undefined };
  const news = { link: "/account/security", language, values };
  const mails = known || quietly ? [] : await newsFor(person, "signIn", news, context);
  const seen = await storage.sessions.create({
    ...{ partition, sessionId, personId, authTime, acr, amr, userAgent, language, mails, address, secretHash, now },
    idleUntil: now + SESSION_IDLE,
    // A session that replaces another one must not last longer than that one.
    absoluteUntil: authTime + SESSION_ABSOLUTE,
    device: at.sighting,
    ...(upstream && { upstream }),
    ...(begins && { recorded: { ...begins, knownDevice: known && device.used } }),
    passwordChangedAt,
    replaces: replaces === undefined ? null : { partition: replaces.partition, sessionId: replaces.sessionId },
  });
  if (mails.length > 0) context.mail.kick();
  if (seen !== undefined && used !== undefined) await vouchByUse(person, used, seen.deviceId, context);
  return { sessionId, seen };
}

export async function endSession(
  { partition, sessionId }: Pick<Session, "partition" | "sessionId">,
  { storage, now, tellApps }: SessionContext,
): Promise<void> {
  await storage.sessions.end({ partition, sessionId, now: now() });
  tellApps();
}

/** Who ends sessions, and from where. */
interface Ending {
  readonly person: Person;
  readonly session: Session;
  readonly address: string;
}

/**
 * Ends all sessions of a person, all except this one, or the one with that id. Apps keep their access. `unknown`: the
 * person has no session with that id.
 */
export async function endSessions(
  which: string,
  { person: { partition, personId }, session, address }: Ending,
  { storage, event, now, tellApps }: SessionContext,
): Promise<"all" | "others" | "one" | "unknown"> {
  const { sessionId } = session;
  const key = { partition, personId, sessionId, now: now() };
  const told = (ended: number) => {
    event("sessions_ended", { owner: personId, ended, address });
    tellApps();
  };
  if (which === "all") {
    told(await storage.sessions.endAll(key));
    return "all";
  }
  if (which === "others") {
    told(await storage.sessions.endAll({ ...key, keepSessionId: sessionId }));
    return "others";
  }
  // Only the person's own sessions: an id of somebody else's is as unknown as one that nobody has.
  if (!(await storage.sessions.endOne({ ...key, ends: which }))) return "unknown";
  told(1);
  return "one";
}

/** The person's factors beside the password, and their sessions. */
export async function waysAndSessionsOf(
  { partition, personId }: Person,
  { deviceId: here, sessionId }: Session,
  { storage, now }: SessionContext,
): Promise<{
  readonly passkeys: readonly Passkey[];
  readonly factor: SecondFactor | undefined;
  readonly sessions: readonly Session[];
  /** Another browser is signed in, or is a known one although its session has ended. */
  readonly others: boolean;
}> {
  const key = { partition, personId };
  const [passkeys, factor, sessions, devices] = await Promise.all([
    storage.passkeys.list(key),
    storage.secondFactors.get(key),
    storage.sessions.list({ ...key, now: now() }),
    storage.knownDevices.list(key),
  ]);
  const others =
    sessions.some((one) => one.sessionId !== sessionId) ||
    devices.some(({ deviceId, endedAt }) => endedAt === null && deviceId !== here);
  return { passkeys, factor, sessions, others };
}

/** How long a sign-in without a password counts as recent. */
const FRESH: Millis = 600_000;

export function isRecent({ authTime }: Pick<Session, "authTime">, { now }: Pick<SessionContext, "now">): boolean {
  return now() - authTime <= FRESH;
}

/** False: the person added a second step after this sign-in, which had not passed that step. */
export async function hasAllSteps(
  { partition, personId }: Person,
  session: Session,
  { storage }: SessionContext,
): Promise<boolean> {
  if (isAsSure(authenticationOf(session).acr, "mfa")) return true;
  return (await storage.secondFactors.get({ partition, personId })) === undefined;
}

/** The person, if their account is active. */
export async function activePerson(
  key: { readonly partition: number; readonly personId: string },
  { storage }: SessionContext,
): Promise<Person | undefined> {
  const person = await storage.people.get(key);
  return person?.status === "active" ? person : undefined;
}
