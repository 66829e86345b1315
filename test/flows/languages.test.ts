/** The language of the pages: `ui_locales` (OpenID Connect Core §3.1.2.1), the owner's choice, Accept-Language (RFC 9110 §12.5.4). */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectPage400, send } from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm, type Page, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
});
afterAll(() => server.stop());

const spoken = ({ text }: Page) => /<html lang="([a-z]+)" dir="(ltr|rtl)">/.exec(text)?.slice(1).join(" ");

/** Chooses a language on the page that the footer links to, and returns. */
async function speak(agent: Agent, page: Page, language: string): Promise<Page> {
  const link = /href="(\/language\?back=[^"]*)"/.exec(page.text)?.[1];
  const [form, ...others] = (await agent.get(link ?? "no link")).forms;
  if (form === undefined || others.length > 0) throw new Error("no choice of languages");
  return agent.follow(await agent.submit(form, { language }));
}

describe("who says it", () => {
  test("nothing, or nothing that is spoken here → English", async () => {
    expect(spoken(await new Agent(server.issuer).get("/login"))).toBe("en ltr");
    expect(spoken(await new Agent(server.issuer, { "accept-language": "nl, sw;q=0.5" }).get("/login"))).toBe("en ltr");
  });

  test("Accept-Language, against it ui_locales; through sign-in to the consent page", async () => {
    const agent = new Agent(server.issuer, { "accept-language": "fr-CH, en;q=0.5" });
    expect(spoken(await agent.get("/login"))).toBe("fr ltr");
    const asked = await agent.get(authorizeUrl(server, client, { ui_locales: "nl ar-EG de" }));
    expect(spoken(asked)).toBe("ar rtl");
    const consent = await signIn(agent, (await server.addPerson()).username, asked);
    consentForm(consent);
    expect(spoken(consent)).toBe("ar rtl");
    expect(consent.text).toContain("يطلب التطبيق");
  });

  test("chosen on the consent page → that page, with the same request, against ui_locales; and every page after it", async () => {
    const agent = new Agent(server.issuer);
    const { username } = await server.addPerson();
    const shown = await signIn(agent, username, await agent.get(authorizeUrl(server, client, { ui_locales: "fr" })));
    server.tick(1000);
    const again = await speak(agent, shown, "de");
    expect([spoken(shown), spoken(again)]).toEqual(["fr ltr", "de ltr"]);
    expect(spoken(await agent.get("/account/apps"))).toBe("de ltr");
    const answer = await agent.submit(consentForm(again), { decision: "allow" });
    expect(answer.location?.searchParams.get("state")).toBe("a state");
    expect(answer.location?.searchParams.has("code")).toBe(true);
    const database = new DatabaseSync(join(server.dataDir, "assent.db"), { readOnly: true });
    const records = database.prepare("SELECT shown FROM consents WHERE client_id = ?").all(client.clientId);
    database.close();
    expect(records.map(({ shown: text }) => JSON.parse(String(text)).locale)).toEqual(["de"]);
  });

  test("chosen before → a request that names its languages speaks them", async () => {
    const agent = new Agent(server.issuer);
    await speak(agent, await agent.get("/login"), "ja");
    server.tick(1000);
    expect(spoken(await agent.get(authorizeUrl(server, client, { ui_locales: "es" })))).toBe("es ltr");
    expect(spoken(await agent.get(authorizeUrl(server, client)))).toBe("ja ltr");
  });
});

describe("the choice", () => {
  test("what went wrong is told in it, to people", async () => {
    const page = await new Agent(server.issuer, { "accept-language": "es" }).get("/authorize?client_id=x");
    expectPage400(page, "authorization_client_unknown");
    expect(spoken(page)).toBe("es ltr");
    expect(page.text).toContain("Esta aplicación no se puede usar aquí");
  });

  test.each(["nl", "", "../de", "de; Path=/", "constructor"])("language %j → refused, no cookie", async (language) => {
    const agent = new Agent(server.issuer);
    const page = await agent.post("/language", { language, back: "/login" });
    expect([page.status, agent.cookies.size]).toEqual([403, 0]);
  });

  test.each(["https://evil.example/", "//evil.example", "/\\evil.example", "", "login", "/a\r\nset-cookie: x=y", "/ü"])(
    "back to %j → to the apps",
    async (back) => {
      const agent = new Agent(server.issuer);
      const page = await agent.post("/language", { language: "de", back });
      const [form] = (await agent.get(`/language?${new URLSearchParams({ back })}`)).forms;
      expect(form?.fields.get("back")).toBe("/account/apps");
      expect([page.status, page.headers.get("location")]).toEqual([303, `${server.issuer}/account/apps`]);
    },
  );

  test.each([
    ["origin", "https://evil.example"],
    ["sec-fetch-site", "cross-site"],
  ])("a form of another site (%s: %s) → refused, no cookie", async (name, value) => {
    const body = new URLSearchParams({ language: "de", back: "/login" }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded", [name]: value };
    const answer = await send(server.issuer, { method: "POST", path: "/language", headers, body });
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([403, undefined]);
  });

  test("a cookie that somebody planted → as if there were none", async () => {
    for (const planted of ["de", "de.zzzzzzzzzzzzzzzz", "xx.1", '"><script>.1'])
      expect(spoken(await new Agent(server.issuer).get("/login", { cookie: `assent_language=${planted}` }))).toBe(
        "en ltr",
      );
  });
});
