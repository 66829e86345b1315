/**
 * The device cookie, by which the server recognizes a browser that somebody has signed in with. It outlives the
 * session.
 */

import { type DerivedCredentials, sha256 } from "../crypto/derived-credentials.ts";
import { randomBytes } from "../crypto/random.ts";
import { type DeviceSeen, type DeviceSighting, KNOWN_DEVICE_TTL } from "../owners/known-device-storage.ts";
import { type BindContext, bindDevice, type PresentedDevice } from "../owners/recognize-known-device.ts";
import type { Person } from "../owners/storage.ts";
import type { Cookies } from "./cookies.ts";
import type { HttpRequest } from "./http-message.ts";
import { userAgentOf } from "./user-agent.ts";

/** A device cookie of this server. It says who signed in; the database decides whether it still counts. */
export interface DeviceCookie extends PresentedDevice {
  readonly salt: Uint8Array;
}

/** The dependencies of reading the cookie. */
export interface DeviceReading {
  readonly cookies: Cookies;
  readonly credentials: Pick<DerivedCredentials, "read">;
}

/** The dependencies of reading and making the cookie. */
export interface DeviceTools extends DeviceReading {
  readonly credentials: Pick<DerivedCredentials, "make" | "read">;
}

/** The browser's device cookie. Undefined: it has none, or one that is not from this server. */
export function deviceCookie(request: HttpRequest, { cookies, credentials }: DeviceReading): DeviceCookie | undefined {
  const cookie = cookies.read(request, "device");
  const credential = cookie === undefined ? undefined : credentials.read("device", cookie);
  if (credential === undefined) return undefined;
  const { partition, id: personId, generation, salt, saltHash } = credential;
  return { partition, personId, deviceId: Buffer.from(saltHash).toString("base64url"), generation, salt };
}

/** The browser of a sign-in, in the form that storage takes. */
export interface Device {
  readonly sighting: DeviceSighting;
  /** The cookie for the browser, after storage has decided which device it is. */
  cookie(seen: DeviceSeen): string;
}

/** `presented`: the browser's cookie, of any person. */
export function deviceOf(personId: string, presented: DeviceCookie | undefined, tools: DeviceTools): Device {
  const own = presented?.personId === personId ? presented : undefined;
  const freshSalt = randomBytes(32);
  const freshId = Buffer.from(sha256(freshSalt)).toString("base64url");
  return {
    sighting: { presented: own ?? null, freshId },
    cookie({ deviceId, generation }) {
      const salt = deviceId === own?.deviceId ? own.salt : freshSalt;
      const value = tools.credentials.make("device", personId, generation, salt);
      return tools.cookies.set("device", value, KNOWN_DEVICE_TTL / 1000);
    },
  };
}

/** The content of the browser's cookie for a person. Null: it has none of this person. */
export function presentedBy(personId: string, request: HttpRequest, tools: DeviceReading): DeviceSeen | null {
  const cookie = deviceCookie(request, tools);
  return cookie?.personId === personId ? { deviceId: cookie.deviceId, generation: cookie.generation } : null;
}

/** Binds this browser to the person's present state, without a sign-in. Returns the cookie for it. */
export async function rememberDevice(
  person: Person,
  request: HttpRequest,
  tools: DeviceTools & { readonly sessions: BindContext },
): Promise<readonly string[]> {
  const device = deviceOf(person.personId, deviceCookie(request, tools), tools);
  const userAgent = userAgentOf(request);
  const browser = { device: device.sighting, address: request.address, userAgent };
  const seen = await bindDevice(person, browser, tools.sessions);
  return seen === undefined ? [] : [device.cookie(seen)];
}
