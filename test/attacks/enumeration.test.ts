/**
 * Nobody can find out which accounts exist: an unknown name and a wrong password give the same answer in the same time.
 * Two spellings of a name are one account.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  Agent,
  authorize,
  authorizeUrl,
  type Page,
  postForm,
  redeem,
  refresh,
  signIn,
  type TokenAnswer,
  unnumbered,
} from "../support/http-browser.ts";
import { Guesser, isSignedIn } from "../support/password-guesser.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import { byTheClock } from "../support/timing-test-retries.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());
const WINDOW = 3_600_000;

/** The answer without the input, and without values that differ in each request. */
function shape({ status, headers, text }: Page, ...typed: readonly string[]): unknown {
  const kept = [...headers].filter(
    ([name]) => !["date", "x-request-id", "content-length", "set-cookie", "retry-after"].includes(name),
  );
  let same = text
    .replace(/name="(csrf|request)" value="[^"]*"/g, 'name="$1"')
    .replaceAll(headers.get("x-request-id") ?? "no number", "…");
  for (const one of typed) same = same.replaceAll(one, "…");
  return { status, headers: kept, text: same };
}

describe("EN-09 sign-in: unknown, wrong, disabled, without a password", () => {
  const kinds = ["wrong password", "disabled, right password", "disabled, wrong password", "no password set"] as const;

  test.each(kinds)("%s → the same page, status and headers as for an unknown name", async (kind) => {
    const person = await server.addPerson(kind === "no password set" ? { passwordHash: null } : {});
    const { partition, personId, username } = person;
    if (kind.startsWith("disabled"))
      await server.assent.storage.people.setStatus({ partition, personId, status: "disabled", now: server.now() });
    const one = new Guesser(server.issuer);
    const found = await one.try(username, kind === "disabled, right password" ? PASSWORD : "not it");
    const unknown = await one.try("nobody-at-all", "not it");
    expect(found.status).toBe(200);
    expect(shape(found, username)).toEqual(shape(unknown, "nobody-at-all"));
    expect(found.headers.getSetCookie()).toEqual([]);
    server.tick(WINDOW);
  });

  test("the right password of an active person → signed in", async () => {
    expect(isSignedIn(await new Guesser(server.issuer).try((await server.addPerson()).username, PASSWORD))).toBe(true);
  });

  test("throttled: unknown and known name → the same page and the same wait, give or take a minute", async () => {
    const { username } = await server.addPerson();
    const pages: Page[] = [];
    const shapes: unknown[] = [];
    for (const name of [username, "nobody-at-all"]) {
      const one = new Guesser(server.issuer);
      await one.wrong(name, 10);
      const page = await one.try(name, "not it");
      expect(page.status).toBe(429);
      pages.push(page);
      shapes.push(shape(page, name));
      server.tick(WINDOW);
    }
    expect(shapes[0]).toEqual(shapes[1]);
    const waits = pages.map(({ headers }) => Number(headers.get("retry-after")));
    expect(Math.abs((waits[0] ?? 0) - (waits[1] ?? 0))).toBeLessThan(60);
  });

  test(
    "the time for an unknown name and for a wrong password → the same, by the medians of 15 each",
    byTheClock,
    async () => {
      const { username } = await server.addPerson();
      const one = new Guesser(server.issuer);
      await one.try("warm-up", "x");
      const took: Record<string, number[]> = { known: [], unknown: [], none: [] };
      const none = await server.addPerson({ passwordHash: null });
      for (let round = 0; round < 15; round += 1) {
        for (const [kind, name] of [
          ["known", username],
          ["unknown", "nobody-at-all"],
          ["none", none.username],
        ] as const) {
          const started = performance.now();
          expect((await one.try(name, `not it ${round}`)).status).toBe(200);
          took[kind]?.push(performance.now() - started);
        }
        if (round % 5 === 4) server.tick(WINDOW);
      }
      const median = (list: number[] = []) => list.toSorted((a, b) => a - b)[7] ?? 0;
      const [known, unknown, without] = [median(took["known"]), median(took["unknown"]), median(took["none"])];
      // A server that hashes no password for unknown names answers them ten times as fast.
      for (const other of [unknown, without]) {
        expect(other / known, `${known} ms and ${other} ms`).toBeGreaterThan(0.5);
        expect(other / known, `${known} ms and ${other} ms`).toBeLessThan(2);
      }
      server.tick(WINDOW);
    },
  );

  test("disabled after the consent → session, refresh token and silent authorization end", async () => {
    const client = await server.addClient();
    const person = await server.addPerson();
    const agent = new Agent(server.issuer);
    const answer = await redeem(server, client, await authorize(agent, authorizeUrl(server, client), person.username));
    expect((await refresh(server, client, answer.body.refresh_token)).status).toBe(200);
    const { partition, personId } = person;
    await server.assent.storage.people.setStatus({ partition, personId, status: "disabled", now: server.now() });
    const refused = await refresh(server, client, answer.body.refresh_token);
    expect([refused.status, refused.body.error]).toEqual([400, "invalid_grant"]);
    expect((await agent.get("/account/apps")).location?.pathname).toBe("/login");
    const silent = await agent.get(authorizeUrl(server, client, { prompt: "none" }));
    expect(silent.location?.searchParams.get("error")).toBe("login_required");
  });
});

describe("EN-03 clients", () => {
  let client: TestClient;
  let disabled: TestClient;
  let open: TestClient;
  beforeAll(async () => {
    client = await server.addClient();
    disabled = await server.addClient({ status: "disabled" });
    open = await server.addClient({ type: "public" });
  });

  const told = ({ status, headers, body }: TokenAnswer) => ({
    status,
    body: JSON.parse(unnumbered(JSON.stringify(body))) as TokenAnswer["body"],
    headers: [...headers].filter(([name]) => !["date", "x-request-id"].includes(name)),
  });
  const forms = {
    "/token": { grant_type: "refresh_token", refresh_token: "rt_x" },
    "/revoke": { token: "rt_x" },
    "/introspect": { token: "rt_x" },
  };

  test.each(Object.entries(forms))(
    "%s: unknown client, wrong secret, disabled, public with a secret → the same 401",
    async (path, form) => {
      const unknown = told(await postForm(server, path, { clientId: "c-nobody", secret: "cs_wrong" }, form));
      expect(unknown.status).toBe(401);
      expect(unknown.body.error).toBe("invalid_client");
      for (const other of [{ ...client, secret: "cs_wrong" }, disabled, { ...open, secret: "cs_wrong" }])
        expect(told(await postForm(server, path, other, form))).toEqual(unknown);
      expect((await postForm(server, path, client, form)).status).not.toBe(401);
    },
  );

  test.each(Object.entries(forms))("%s: secrets in the body → likewise", async (path, form) => {
    const send = (clientId: string) =>
      postForm(server, path, null, { ...form, client_id: clientId, client_secret: "cs_wrong" });
    const unknown = told(await send("c-nobody"));
    expect([unknown.status, unknown.body.error]).toEqual([401, "invalid_client"]);
    expect(told(await send(client.clientId))).toEqual(unknown);
    expect(told(await send(disabled.clientId))).toEqual(unknown);
  });

  test("/authorize: unknown and disabled client → the same page, 400, no way on", async () => {
    const agent = new Agent(server.issuer);
    const pages = await Promise.all(
      [{ ...client, clientId: "c-nobody" }, disabled].map((one) => agent.get(authorizeUrl(server, one))),
    );
    for (const page of pages) {
      expect(page.status).toBe(400);
      expect(page.location).toBeUndefined();
    }
    const [unknown, off] = pages.map((page) => shape(page));
    expect(off).toEqual(unknown);
    expect((await agent.get(authorizeUrl(server, client))).status).toBe(200);
  });
});

describe("EN-04 one account, however it is spelt", () => {
  const suffix = Math.floor(performance.now() * 1000).toString(36);
  const email = `canon-${suffix}@x.test`;
  const username = `canon-${suffix}`;
  const wide = (text: string) =>
    [...text]
      .map((letter) => (/[a-z]/.test(letter) ? String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0) : letter))
      .join("");
  beforeAll(() => server.addPerson({ username, email }));

  test.each([
    ["capitals", `Canon-${suffix}@X.Test`],
    ["full-width @", email.replace("@", "＠")],
    ["full-width letters", wide(email)],
    ["spaces around", ` ${email} `],
    ["the username in capitals", username.toUpperCase()],
    ["the username in full-width letters", wide(username)],
  ])("sign in by %s → the same account", async (_, login) => {
    const agent = new Agent(server.issuer);
    const page = await signIn(agent, login);
    expect(page.text).toContain("Alice Example");
    expect(page.text).toContain(">Your apps<");
  });

  test.each([
    ["a dotless ı", email.replace("canon-", "canıon-")],
    ["a trailing dot", `${email}.`],
    ["a Cyrillic letter", email.replace("a", "\u0430")],
    ["a soft hyphen", email.replace("-", "\u00ad-")],
    ["a zero-width space", email.replace("-", "\u200b-")],
    ["a NUL", `${email}\0`],
  ])("sign in by %s → nobody", async (_, login) => {
    expect((await new Guesser(server.issuer).try(login, PASSWORD)).status).toBe(200);
  });
});
