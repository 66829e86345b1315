/**
 * A client that asks for the owner's password (RFC 6749 §4.3). Use this flow only for clients that can't be changed;
 * see docs/integrate/password.md.
 *
 *   npx assent client create --name "Old Importer" --type confidential --grant-type password --scope photos:read
 *   CLIENT_ID=… CLIENT_SECRET=… OWNER=demo SCOPE=photos:read node examples/password.ts < password.txt
 *
 * The program reads the password from standard input, because the list of processes shows arguments. `RESOURCE` names
 * the API. The program needs only Node.js.
 */

import { text } from "node:stream/consumers";

const {
  ISSUER: issuer = "http://localhost:9400",
  CLIENT_ID: id,
  CLIENT_SECRET: secret,
  OWNER: username,
  SCOPE: scope,
  RESOURCE: resource,
} = process.env;
if (id === undefined || secret === undefined || username === undefined || scope === undefined) {
  console.error("Set CLIENT_ID, CLIENT_SECRET, OWNER and SCOPE.");
  process.exit(2);
}

const { origin, pathname } = new URL(issuer);
const found = await fetch(`${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`);
const metadata = (await found.json()) as { issuer: string; token_endpoint: string };
if (metadata.issuer !== issuer) throw new Error(`this is ${metadata.issuer}, not ${issuer}`);

const password = (await text(process.stdin)).replace(/\r?\n$/, "");
const body = new URLSearchParams({ grant_type: "password", username, password, scope });
if (resource !== undefined) body.set("resource", resource);
const encoded = [id, secret].map(encodeURIComponent).join(":");
const authorization = `Basic ${Buffer.from(encoded).toString("base64")}`;

const response = await fetch(metadata.token_endpoint, { method: "POST", body, headers: { authorization } });
if (response.status === 429) console.error(`Too many failures: wait ${response.headers.get("retry-after")} seconds.`);
console.log(response.status, await response.json());
process.exitCode = response.ok ? 0 : 1;
