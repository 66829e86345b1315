/** The protocol's hash port, on node:crypto. */

import { isAscii } from "node:buffer";
import { hash, timingSafeEqual } from "node:crypto";
import type { Hashes } from "../oauth/ports.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const hashes: Hashes = {
  sha256: (text) => hash("sha256", text, "base64url"),

  equal(a, b) {
    const left = Buffer.from(a);
    const right = Buffer.from(b);
    return left.length === right.length && timingSafeEqual(left, right);
  },

  base64Text(encoded) {
    const bytes = Buffer.from(encoded, "base64");
    if (bytes.toString("base64") !== encoded) return undefined;
    if (isAscii(bytes)) return bytes.toString("latin1");
    try {
      return utf8.decode(bytes);
    } catch {
      return undefined;
    }
  },
};
