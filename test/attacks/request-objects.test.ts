/**
 * Requests that contain or name a request object (OpenID Connect Core §§6, 7.2.1; RFC 9101 §10): the server follows none
 * and fetches none.
 */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { base64url } from "../../packages/server/src/crypto/random.ts";
import { expectGoesOn, expectPage400, expectRedirectError } from "../support/front-channel.ts";
import { Agent, authorize, authorizeUrl, type Page } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
/** Counts the requests that it receives. */
let elsewhere: Server;
let origin: string;
let reached = 0;

beforeAll(async () => {
  // The server may fetch from this machine, so that the address filter can't be the reason for the missing request.
  server = await startServer({ fetchFromLoopback: true });
  client = await server.addClient();
  elsewhere = createServer((_, response) => {
    reached += 1;
    response.end(requestObject());
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => elsewhere.once("listening", resolve));
  origin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await Promise.all([server.stop(), new Promise((resolve) => elsewhere.close(resolve))]);
});
beforeEach(() => {
  reached = 0;
});

const text = (value: unknown) => base64url(new TextEncoder().encode(JSON.stringify(value)));

/** An unsigned request object that asks for more scopes than the query does. */
function requestObject(claims: Record<string, unknown> = {}): string {
  const asked = { iss: client.clientId, aud: server.issuer, client_id: client.clientId, scope: "read write" };
  return `${text({ alg: "none", typ: "oauth-authz-req+jwt" })}.${text({ ...asked, response_type: "code", ...claims })}.`;
}

const ask = (changes: Record<string, string | undefined>) =>
  new Agent(server.issuer).get(authorizeUrl(server, client, changes));

describe("redirect_uri is registered", () => {
  test.each([
    ["PR-14 request_uri on another host", () => ({ request_uri: "https://evil.test/x" }), "request_uri_not_supported"],
    ["PR-14 request_uri of this machine", () => ({ request_uri: `${origin}/x` }), "request_uri_not_supported"],
    [
      "PR-14 request_uri of the cloud's own address",
      () => ({ request_uri: "http://169.254.169.254/latest/meta-data" }),
      "request_uri_not_supported",
    ],
    [
      "PR-14 request_uri as a pushed request has it",
      () => ({ request_uri: "urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c" }),
      "request_uri_not_supported",
    ],
    ["OI-24 request, with other scopes in it", () => ({ request: requestObject() }), "request_not_supported"],
    [
      "OI-24 request, with another redirect_uri in it",
      () => ({ request: requestObject({ redirect_uri: "https://evil.test/cb" }) }),
      "request_not_supported",
    ],
    [
      "OI-24 request and request_uri",
      () => ({ request: requestObject(), request_uri: `${origin}/x` }),
      "request_not_supported",
    ],
    ["OI-24 registration", () => ({ registration: '{"client_name":"x"}' }), "registration_not_supported"],
  ] as const)("%s → its error goes to the client, nothing is fetched", async (_, changes, error) => {
    const page = await ask(changes());
    expectRedirectError(page, server, error);
    expect(page.headers.get("location")).not.toContain("evil.test");
    expect(reached).toBe(0);
  });

  test("the same request without them → goes on", async () => {
    expectGoesOn(await ask({}));
    expectGoesOn(await ask({ request: "", request_uri: "", registration: "" }));
  });
});

describe("response_mode stands in the object", () => {
  const refused = ({ location, forms }: Page) => ({
    to: forms[0]?.action ?? location?.origin,
    error: forms[0]?.fields.get("error") ?? location?.searchParams.get("error"),
  });
  const query = { to: "https://app.test", error: "request_not_supported" };

  test.each([
    ["another mode", () => requestObject({ response_mode: "fragment" })],
    ["a list", () => requestObject({ response_mode: ["form_post"] })],
    ["no object", () => `${text({ alg: "none" })}.${text(null)}.`],
    ["no JSON", () => "e30.form_post."],
    ["no JWT", () => "form_post"],
  ])("OI-24 %s → the refusal is a redirect, as without it", async (_, object) => {
    expect(refused(await ask({ request: object() }))).toEqual(query);
  });

  test("OI-24 form_post → the refusal is posted, because the client waits for a form", async () => {
    const page = await ask({ request: requestObject({ response_mode: "form_post", state: "inside" }) });
    expect(refused(page)).toEqual({ to: "https://app.test/cb", error: "request_not_supported" });
    expect(page.forms[0]?.fields.get("state")).toBe("a state");
  });

  test("OI-24 form_post, and another address in the object → the refusal goes to the registered one", async () => {
    const object = requestObject({ response_mode: "form_post", redirect_uri: "https://evil.test/cb" });
    expect(refused(await ask({ request: object })).to).toBe("https://app.test/cb");
  });
});

describe("redirect_uri or client_id stands in the object alone, or is wrong", () => {
  test.each([
    ["PR-19 no client_id beside the object", { client_id: undefined }, "authorization_client_unknown"],
    ["PR-19 another client_id beside the object", { client_id: "c-other" }, "authorization_client_unknown"],
    ["PR-14 no redirect_uri beside the object", { redirect_uri: undefined }, "redirect_uri_mismatch"],
    ["PR-14 another redirect_uri", { redirect_uri: "https://evil.test/cb" }, "redirect_uri_mismatch"],
  ] as const)("%s → a page of ours, nothing is fetched", async (_, changes, condition) => {
    for (const object of [{ request: requestObject() }, { request_uri: `${origin}/x` }]) {
      expectPage400(await ask({ ...object, ...changes }), condition);
    }
    expect(reached).toBe(0);
  });
});

describe("PR-24 response modes of signed answers", () => {
  const modes = ["jwt", "query.jwt", "fragment.jwt", "form_post.jwt"];

  test.each(modes)("%s with a redirect_uri that isn't registered → a page of ours, no form to it", async (mode) => {
    const page = await ask({ response_mode: mode, redirect_uri: "https://evil.test/cb" });
    expectPage400(page, "redirect_uri_mismatch");
    expect(page.text).not.toContain("evil.test");
  });

  test.each(modes)("%s with the registered one → invalid_request there", async (mode) => {
    expectRedirectError(await ask({ response_mode: mode }), server, "invalid_request");
  });
});

test("PR-14 the names at the other endpoints → ignored, nothing is fetched", async () => {
  const { username } = await server.addPerson();
  const callback = await authorize(new Agent(server.issuer), authorizeUrl(server, client), username);
  const answer = await fetch(`${server.issuer}/token`, {
    method: "POST",
    body: new URLSearchParams({
      ...{ grant_type: "authorization_code", code: callback.searchParams.get("code") ?? "" },
      ...{ redirect_uri: "https://app.test/cb", client_id: client.clientId, client_secret: client.secret },
      ...{ request_uri: `${origin}/x`, request: requestObject(), registration: "{}" },
    }),
  });
  expect(answer.status).toBe(200);
  expect(((await answer.json()) as { scope: string }).scope).toBe("read");
  expect(reached).toBe(0);
});
