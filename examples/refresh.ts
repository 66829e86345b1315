/**
 * Gets the next access token (RFC 6749 §6) or revokes the access (RFC 7009). Run examples/authorization-code.ts first.
 *
 *   CLIENT_ID=… node examples/refresh.ts
 *   CLIENT_ID=… node examples/refresh.ts revoke
 *
 * A confidential client sets CLIENT_SECRET, too. The tokens are in tokens.json.
 */

import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const { ISSUER: issuer = "http://localhost:9400", CLIENT_ID: id, CLIENT_SECRET: secret } = process.env;
if (id === undefined) {
  console.error("Set CLIENT_ID.");
  process.exit(2);
}
type Tokens = Readonly<Record<string, string | number>>;
const tokens = JSON.parse(readFileSync("tokens.json", "utf8")) as Tokens;
const refresh_token = String(tokens["refresh_token"]);

const { origin, pathname } = new URL(issuer);
const found = await fetch(`${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`);
const metadata = (await found.json()) as Record<"issuer" | "token_endpoint" | "revocation_endpoint", string>;
if (metadata.issuer !== issuer) throw new Error(`this is ${metadata.issuer}, not ${issuer}`);

if (process.argv[2] === "revoke") {
  const response = await post(metadata.revocation_endpoint, { token: refresh_token });
  if (!response.ok) throw new Error(await response.text());
  rmSync("tokens.json");
  console.log("Given back: the app has no access any more");
} else {
  const response = await post(metadata.token_endpoint, { grant_type: "refresh_token", refresh_token });
  const answer = (await response.json()) as Tokens;
  // `invalid_grant`: the access has ended. The owner must allow the app again.
  if (!response.ok) throw new Error(`${answer["error"]}: ${answer["error_description"]}`);
  // Use the refresh token of this answer from now on. The file is replaced in one step, so that a crash can't lose it.
  writeFileSync("tokens.json.next", JSON.stringify({ ...tokens, ...answer }), { mode: 0o600 });
  renameSync("tokens.json.next", "tokens.json");
  console.log(`Refreshed: ${answer["scope"]}, for ${answer["expires_in"]} seconds`);
}

/** Repeats the request if no answer arrived or the server is too busy. Repeating these requests is safe. */
async function post(url: string, fields: Record<string, string>, attempts = 3): Promise<Response> {
  const body = new URLSearchParams({ client_id: id ?? "", ...fields });
  if (secret !== undefined) body.set("client_secret", secret);
  const response = await fetch(url, { method: "POST", body }).catch(() => undefined);
  if (response !== undefined && response.status < 500 && response.status !== 429) return response;
  if (attempts === 1) throw new Error("the server doesn't answer");
  await sleep(1000 * Number(response?.headers.get("retry-after") ?? 1));
  return post(url, fields, attempts - 1);
}
