/**
 * An app that runs only in the browser gets its token in the fragment of the URL (RFC 6749 §4.2). Use this flow only
 * for apps that can't be changed; see docs/integrate/implicit.md.
 *
 *   npx assent client create --name "Old Viewer" --type public --grant-type implicit --response-type token \
 *     --redirect-uri http://127.0.0.1/ --scope photos:read
 *   CLIENT_ID=… SCOPE=photos:read node examples/implicit.ts
 *
 * Open the address that it prints. Set `PORT` to listen on another port. The program needs only Node.js.
 */

import { createServer } from "node:http";

const { ISSUER: issuer = "http://localhost:9400", CLIENT_ID: id, SCOPE: scope, PORT: port = "9403" } = process.env;
if (id === undefined || scope === undefined) {
  console.error("Set CLIENT_ID and SCOPE.");
  process.exit(2);
}

/** The whole app is this page. Browsers don't send the fragment, so the app's server never gets a token. */
const script = `
  const settings = ${JSON.stringify({ issuer, client_id: id, scope }).replaceAll("<", "\\u003c")};
  const show = (text) => { document.querySelector("pre").textContent = text; };
  const answer = new URLSearchParams(location.hash.slice(1));
  const redirect_uri = location.origin + "/";
  if (answer.size === 0) {
    const state = crypto.randomUUID();
    sessionStorage.setItem("state", state);
    const { issuer, ...rest } = settings;
    const query = new URLSearchParams({ response_type: "token", redirect_uri, state, ...rest });
    document.querySelector("a").href = issuer + "/authorize?" + query;
  } else {
    history.replaceState(null, "", "/");
    const ours = answer.get("state") === sessionStorage.getItem("state") && answer.get("iss") === settings.issuer;
    sessionStorage.removeItem("state");
    if (!ours) show("This answer isn't to a question of ours.");
    else if (answer.has("error")) show(answer.get("error") + ": " + answer.get("error_description"));
    else show("A token for " + answer.get("scope") + ", good for " + answer.get("expires_in") + " seconds.");
  }
`;
const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Old Viewer</title>
<h1>Old Viewer</h1><p><a>Connect</a></p><pre></pre><script>${script}</script></html>`;

const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/html; charset=utf-8", "referrer-policy": "no-referrer" }).end(page);
}).listen(Number(port), "127.0.0.1", () => {
  const address = server.address();
  console.log(`Open http://127.0.0.1:${typeof address === "object" ? address?.port : port}/`);
});
