/**
 * A custom grant type in one file (RFC 6749 §4.5). The front desk of a clinic prints vouchers. A kiosk without a
 * keyboard scans a voucher and gets a token for the person that the voucher names. Each voucher works once, and the
 * token expires with the voucher.
 *
 * The server and its commands use this file as their configuration. Make a key with `openssl rand -base64 32`, and in
 * every terminal type `export ASSENT_CONFIG=examples/custom-grant.ts VOUCHER_KEY=…`.
 *
 *   npx assent serve
 *   npx assent scope create records:read --description "See your records"
 *   npx assent user create --username alice --email alice@clinic.example --generate-password
 *   npx assent client create --name Kiosk --type confidential --scope records:read \
 *     --grant-type https://clinic.example/grants/voucher
 *   node examples/custom-grant.ts print alice > voucher.txt
 *   CLIENT_ID=… CLIENT_SECRET=… node examples/custom-grant.ts exchange < voucher.txt
 */

import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { text } from "node:stream/consumers";
import type { CustomGrant } from "@assent/server";

const FIVE_MINUTES = 300_000;

export const voucher: CustomGrant = {
  grantType: "https://clinic.example/grants/voucher",
  parameters: { voucher: "required" },

  redeem(request) {
    const found = readVoucher(request.parameter("voucher"));
    if (found === undefined) return request.refuse("invalid_grant", "not a voucher of the desk");
    const until = found.madeAt + FIVE_MINUTES;
    return {
      for: "owner",
      owner: { by: "username", value: found.owner },
      under: "operator policy",
      scopes: ["records:read"],
      expiresAt: until,
      once: { id: found.id, madeAt: found.madeAt, until },
    };
  },
};

export default { customGrants: [voucher] };

interface Voucher {
  readonly id: string;
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
}

/** `payload.mac`, both in base64url. */
function printVoucher(owner: string): string {
  const made: Voucher = { id: randomUUID(), owner, madeAt: Date.now() };
  const payload = Buffer.from(JSON.stringify(made)).toString("base64url");
  return `${payload}.${macOf(payload).toString("base64url")}`;
}

/** Returns undefined if the desk didn't sign it. Other checks aren't needed, because the desk signs only its vouchers. */
function readVoucher(presented: string): Voucher | undefined {
  const [payload = "", mac = "", ...rest] = presented.split(".");
  const [given, wanted] = [Buffer.from(mac, "base64url"), macOf(payload)];
  if (rest.length > 0 || given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
  return JSON.parse(Buffer.from(payload, "base64url").toString()) as Voucher;
}

function macOf(payload: string): Buffer {
  const key = Buffer.from(process.env["VOUCHER_KEY"] ?? "", "base64");
  if (key.length < 32) throw new Error("VOUCHER_KEY: wanted 32 bytes or more in base64");
  return createHmac("sha256", key).update(payload).digest();
}

/** The kiosk's part. Returns false if the server issues no token. */
async function exchange(presented: string): Promise<boolean> {
  const { ISSUER: issuer = "http://localhost:9400", CLIENT_ID: id = "", CLIENT_SECRET: secret = "" } = process.env;
  const { origin, pathname } = new URL(issuer);
  const found = await fetch(`${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`);
  const metadata = (await found.json()) as { issuer: string; token_endpoint: string; grant_types_supported: string[] };
  if (metadata.issuer !== issuer) throw new Error(`this is ${metadata.issuer}, not ${issuer}`);
  if (!metadata.grant_types_supported.includes(voucher.grantType)) throw new Error("this server takes no vouchers");
  const encoded = [id, secret].map(encodeURIComponent).join(":");
  const response = await fetch(metadata.token_endpoint, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(encoded).toString("base64")}` },
    body: new URLSearchParams({ grant_type: voucher.grantType, voucher: presented }),
  });
  console.log(response.status, await response.json());
  return response.ok;
}

if (import.meta.main) {
  const [verb, owner] = process.argv.slice(2);
  if (verb === "print" && owner !== undefined) console.log(printVoucher(owner));
  else if (verb === "exchange") process.exitCode = (await exchange((await text(process.stdin)).trim())) ? 0 : 1;
  else {
    console.error("Say print OWNER, or exchange.");
    process.exitCode = 2;
  }
}
