/** Where a factor is added from: the browser and the address of the session that adds it. */

import type { AddedFrom } from "../owners/factor-storage.ts";
import { addedFrom } from "../owners/recovery/vouch.ts";
import type { Session } from "../owners/storage.ts";
import type { Assent } from "../server-parts.ts";
import type { HttpRequest } from "./message.ts";

const MAX_USER_AGENT = 300;

export function addedHere(session: Session, http: HttpRequest, assent: Assent): Promise<AddedFrom> {
  const userAgent = http.header("user-agent")?.slice(0, MAX_USER_AGENT) ?? null;
  return addedFrom(session, { deviceId: session.deviceId, address: http.address, userAgent }, assent);
}
