/**
 * The log line of a refusal tells an operator the client, its request and its registration without a search in the
 * database. It never contains a secret. The page shows the number that finds the line.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anOwner, basic, expectUnlogged, provenCode } from "../support/back-channel.ts";
import { Agent, authorizeUrl, pkce, postForm } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({
    redirectUris: ["https://app.test/cb", "https://app.test/other"],
    grantTypes: ["authorization_code", "client_credentials"],
    ownScopes: ["profile"],
  });
});
afterAll(() => server.stop());

const { challenge } = pkce();
const lastLine = () =>
  server.log.map((line) => JSON.parse(line) as Record<string, unknown>).findLast(({ event }) => event === "refused");
const ask = (parameters: Readonly<Record<string, string | undefined>>, of: TestClient = client) =>
  new Agent(server.issuer).get(
    authorizeUrl(server, of, { code_challenge: challenge, code_challenge_method: "S256", ...parameters }),
  );
const askToken = async (form: Readonly<Record<string, string>>, of: TestClient = client) => {
  const body = new URLSearchParams(form);
  const authorization = basic(of.clientId, of.secret);
  return fetch(`${server.issuer}/token`, { method: "POST", body, headers: { authorization } });
};

describe("the authorization endpoint", () => {
  test("an unknown client → its id, cut, and nothing registered", async () => {
    await ask({ client_id: `nobody${"x".repeat(1000)}` });
    const line = lastLine();
    expect(line).toMatchObject({ condition: "authorization_client_unknown" });
    expect(String(line?.["client_id"])).toMatch(/^nobodyx{294}…$/);
    expect(line).not.toHaveProperty("registered");
  });

  test("a redirect URI that isn't registered → the client, what came without its query, what is registered; the page's number", async () => {
    const page = await ask({
      redirect_uri: "https://user:hunter2hunter2@app.test/cb/?token=hunter2hunter2#hunter2hunter2",
    });
    const line = lastLine();
    expect(line).toMatchObject({
      ...{ condition: "redirect_uri_mismatch", client_id: client.clientId, parameter: "redirect_uri" },
      ...{ received: "https://…@app.test/cb/?…", registered: ["https://app.test/cb", "https://app.test/other"] },
    });
    expectUnlogged(server, "hunter2hunter2");
    const number = String(line?.["request_id"]);
    expect(number.length).toBeGreaterThan(7);
    expect(page.text).toContain(number);
    expect(page.headers.get("x-request-id")).toBe(number);
  });

  test("no redirect URI at all → nothing received", async () => {
    await ask({ redirect_uri: undefined });
    expect(lastLine()).toMatchObject({ condition: "redirect_uri_mismatch", client_id: client.clientId });
    expect(lastLine()).not.toHaveProperty("received");
  });

  test("very many long redirect URIs → the first ten, and how many more", async () => {
    const redirectUris = Array.from({ length: 14 }, (_, at) => `https://app.test/${at}${"x".repeat(400)}`);
    const many = await server.addClient({ redirectUris });
    await ask({ redirect_uri: `https://app.test/${"y".repeat(1000)}` }, many);
    const { registered, received } = lastLine() as { registered: readonly string[]; received: string };
    expect(registered).toHaveLength(11);
    expect(registered.at(-1)).toBe("… and 4 more");
    for (const text of [...registered, received]) expect(text.length).toBeLessThanOrEqual(301);
  });

  test.each([
    [{ scope: "read admin" }, { condition: "scope_not_allowed", parameter: "scope", received: "read admin" }],
    [{ response_type: "token" }, { parameter: "response_type", received: "token" }],
    [{ response_mode: "web_message" }, { parameter: "response_mode", received: "web_message" }],
    [{ prompt: "nothing" }, { parameter: "prompt", received: "nothing" }],
    [
      { resource: "https://other.test/?key=hunter2hunter2" },
      { parameter: "resource", received: "https://other.test/?…" },
    ],
    [{ code_challenge_method: "S512" }, { parameter: "code_challenge_method", received: "S512" }],
  ])("%j → told to the client by redirect, and the line has what it sent", async (parameters, wanted) => {
    const answer = await ask(parameters);
    expect(answer.status).toBe(302);
    expect(lastLine()).toMatchObject({ client_id: client.clientId, ...wanted });
    expect(lastLine()?.["request_id"]).toBe(answer.headers.get("x-request-id"));
  });

  test("a scope that isn't the client's → the scopes that are", async () => {
    await ask({ scope: "read admin" });
    expect(lastLine()).toMatchObject({ registered: client.scopes });
  });

  test("a parameter that could hold a secret → named by the condition alone", async () => {
    await ask({ code_challenge: "hunter2hunter2" });
    expect(lastLine()).toMatchObject({ condition: "code_challenge_malformed", client_id: client.clientId });
    expect(lastLine()).not.toHaveProperty("received");
    expectUnlogged(server, "hunter2hunter2");
  });

  test("our own credentials, and what moves a cursor, in a parameter that is logged → neither is in the line", async () => {
    const secret = `cs_${"s".repeat(43)}`;
    await ask({ client_id: secret });
    await ask({ scope: `read ${secret}` });
    await ask({ redirect_uri: `https://app.test/${secret}` });
    expectUnlogged(server, secret, "ssssssss");
    await ask({ redirect_uri: "https://app.test/\u202egnp" });
    expect(lastLine()?.["received"]).toBe("https://app.test/�gnp");
  });
});

describe("the token endpoint", () => {
  test("a wrong secret → the client's id, as it was named, and no secret", async () => {
    await askToken({ grant_type: "client_credentials" }, { ...client, secret: "hunter2hunter2" });
    expect(lastLine()).toMatchObject({ client_id: client.clientId });
    await postForm(server, "/token", null, {
      grant_type: "x",
      client_id: client.clientId,
      client_secret: "hunter2hunter2",
    });
    expect(lastLine()).toMatchObject({ client_id: client.clientId });
    expectUnlogged(server, "hunter2hunter2", client.secret);
  });

  test("a grant type that it isn't registered for → which, and those that it is", async () => {
    await askToken({ grant_type: "password", username: "a", password: "hunter2hunter2", scope: "read" });
    expect(lastLine()).toMatchObject({
      ...{ condition: "grant_type_not_registered", client_id: client.clientId },
      ...{ received: "password", registered: client.grantTypes },
    });
    expectUnlogged(server, "hunter2hunter2");
  });

  test("a scope that isn't its own → what it holds itself", async () => {
    await askToken({ grant_type: "client_credentials", scope: "read" });
    expect(lastLine()).toMatchObject({ condition: "scope_not_allowed", received: "read", registered: ["profile"] });
  });

  test("a code with another redirect URI → what came and what is registered, and no code", async () => {
    const { code, code_verifier } = await provenCode(server, client, await anOwner(server), {
      ask: { redirect_uri: "https://app.test/cb" },
    });
    await askToken({
      ...{ grant_type: "authorization_code", code, code_verifier },
      redirect_uri: "https://app.test/other?x=hunter2hunter2",
    });
    expect(lastLine()).toMatchObject({
      ...{ condition: "code_redirect_uri_differs", client_id: client.clientId },
      ...{ received: "https://app.test/other?…", registered: client.redirectUris },
    });
    expectUnlogged(server, "hunter2hunter2", code, code_verifier);
  });
});
