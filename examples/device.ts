/**
 * A device without a browser gets access (RFC 8628). The program needs only Node.js.
 *
 *   npx assent client create --name "Photo Frame" --type public --scope photos:read \
 *     --grant-type urn:ietf:params:oauth:grant-type:device_code --grant-type refresh_token
 *   CLIENT_ID=… SCOPE=photos:read node examples/device.ts
 */

import { setTimeout as sleep } from "node:timers/promises";

const { ISSUER: issuer = "http://localhost:9400", CLIENT_ID: client_id, SCOPE: scope } = process.env;
if (client_id === undefined || scope === undefined) {
  console.error("Set CLIENT_ID and SCOPE.");
  process.exit(2);
}

const { origin, pathname } = new URL(issuer);
const found = await fetch(`${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`);
const metadata = (await found.json()) as Record<"issuer" | "device_authorization_endpoint" | "token_endpoint", string>;
if (metadata.issuer !== issuer) throw new Error(`this is ${metadata.issuer}, not ${issuer}`);

type Members = Readonly<Record<string, string | number>>;

async function post(url: string, fields: Record<string, string>): Promise<Members> {
  return (await (await fetch(url, { method: "POST", body: new URLSearchParams(fields) })).json()) as Members;
}

const codes = await post(metadata.device_authorization_endpoint, { client_id, scope });
if (codes["error"] !== undefined) throw new Error(`${codes["error"]}: ${codes["error_description"]}`);
console.log(`Open ${codes["verification_uri"]} and enter ${codes["user_code"]}`);
console.log(`(or open ${codes["verification_uri_complete"]})`);

const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
let wait = Number(codes["interval"] ?? 5);
for (;;) {
  await sleep(wait * 1000);
  const answer = await post(metadata.token_endpoint, {
    grant_type,
    client_id,
    device_code: String(codes["device_code"]),
  });
  if (answer["access_token"] !== undefined) {
    console.log("Connected:", answer);
    break;
  }
  if (answer["error"] === "slow_down") wait += 5;
  else if (answer["error"] !== "authorization_pending")
    throw new Error(`${answer["error"]}: ${answer["error_description"]}`);
}
