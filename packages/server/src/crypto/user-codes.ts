/** User codes: random, and found again by a keyed hash that leads to the request's partition (RFC 8628 §§5.1, 6.1). */

import { PARTITIONS } from "../oauth/model.ts";
import type { UserCodes } from "../oauth/ports.ts";
import { makeUserCode } from "../oauth/user-code.ts";
import { newId } from "./ids.ts";
import { randomBytes } from "./random.ts";
import type { Secrets } from "./server-secret.ts";

/** A code has so few bits that a plain hash of it could be guessed from the database. */
export function userCodes(secrets: Secrets): UserCodes {
  return {
    draw() {
      const userCode = makeUserCode(() => randomBytes(1)[0] ?? 255);
      const place = requestKeyOf(secrets.mac("user code", userCode));
      return { userCode, requestId: newId(place.partition), ...place };
    },
    keysOf: (userCode) => secrets.macs("user code", userCode).map(requestKeyOf),
  };
}

function requestKeyOf(userCodeHash: string) {
  const partition = Buffer.from(userCodeHash.slice(0, 4), "base64url").readUInt16BE(0) % PARTITIONS;
  return { partition, userCodeHash };
}
