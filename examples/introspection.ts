/**
 * An API asks the server whether a token is still valid, and for its claims (RFC 7662). APIs need this for opaque
 * tokens, and if a revocation must take effect at once. This program plays both parts: a service that gets a token, and
 * the API that receives it.
 *
 *   npx assent resource create --identifier https://vault.example.com --name "Vault" --token-format opaque --grant-bound
 *   npx assent scope create vault:open --description "Open the vault" --resource https://vault.example.com
 *   npx assent client create --name "Night Watch" --type confidential --grant-type client_credentials --own-scope vault:open
 *   INTROSPECTION_CLIENT_ID=… INTROSPECTION_CLIENT_SECRET=… CLIENT_ID=… CLIENT_SECRET=… node examples/introspection.ts
 */

const { ISSUER: issuer = "http://localhost:9400", ...env } = process.env;
const service = credentials("CLIENT_ID", "CLIENT_SECRET");
const api = credentials("INTROSPECTION_CLIENT_ID", "INTROSPECTION_CLIENT_SECRET");

const { origin, pathname } = new URL(issuer);
const found = await fetch(`${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`);
const metadata = (await found.json()) as Record<"issuer" | "token_endpoint" | "introspection_endpoint", string>;
if (metadata.issuer !== issuer) throw new Error(`this is ${metadata.issuer}, not ${issuer}`);

const { access_token: token } = await post(metadata.token_endpoint, service, { grant_type: "client_credentials" });
console.log("The service sends", token);

// The API does this for each request. It checks `active` first: the answer about an inactive token has nothing else.
const told = await post(metadata.introspection_endpoint, api, { token: String(token) });
const allowed = told["active"] === true && String(told["scope"]).split(" ").includes("vault:open");
console.log(allowed ? "The API lets it in:" : "The API refuses it:", told);

const guessed = await post(metadata.introspection_endpoint, api, { token: "at_guessed" });
console.log("And a token that nobody issued:", guessed);

async function post(url: string, authorization: string, fields: Record<string, string>) {
  const body = new URLSearchParams(fields);
  const response = await fetch(url, { method: "POST", body, headers: { authorization } });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${answer["error"]}: ${answer["error_description"]}`);
  return answer;
}

function credentials(...names: readonly string[]): string {
  const missing = names.filter((name) => env[name] === undefined);
  if (missing.length > 0) {
    console.error(`Set ${missing.join(" and ")}.`);
    process.exit(2);
  }
  return `Basic ${btoa(names.map((name) => encodeURIComponent(env[name] ?? "")).join(":"))}`;
}
