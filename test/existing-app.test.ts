/** Follows docs/start/existing-app.md word for word: an app with users and passwords of its own gets Assent. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { expect, test } from "vitest";
import { freePort } from "./support/free-port.ts";
import { Agent, consentForm, linksOf, type Page } from "./support/http-browser.ts";
import { blocksOf } from "./support/markdown-code-blocks.ts";
import { aPostgresDatabase } from "./support/postgres-database.ts";
import { aReader } from "./support/run-commands-of-example.ts";
import { PASSWORD } from "./support/test-server.ts";

const page = readFileSync(join(import.meta.dirname, "../docs/start/existing-app.md"), "utf8");
const blocks = blocksOf(page);
const commands = blocks
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) =>
    text
      .trim()
      .replaceAll(/ \\\n +/g, " ")
      .split("\n"),
  );
const shown = JSON.parse(blocks.find(({ language }) => language === "json")?.text ?? "null") as object;

function hasPsql(): boolean {
  try {
    return execFileSync("psql", ["--version"]).length > 0;
  } catch {
    return false;
  }
}

test("every command of the page → the same users, before and with Assent; a new password of the app counts at once", {
  timeout: 90_000,
}, async ({ skip }) => {
  if (!hasPsql()) return skip("there is no psql on this machine");
  const [port, appPort] = [await freePort(), await freePort()];
  const [issuer, app] = [`http://localhost:${port}`, `http://127.0.0.1:${appPort}`];
  const database = await aPostgresDatabase("empty");
  const table = new Client({ connectionString: database.url });
  await table.connect();
  const env = { APP_DATABASE_URL: database.url, APP_URL: app };
  const at = { ISSUER: issuer, ASSENT_ISSUER: issuer, ASSENT_LISTEN: `127.0.0.1:${port}` };
  const [before, reader] = [aReader(env, new Set()), aReader({ ...env, ...at }, new Set())];
  const [first, ...typed] = commands.map((command) => command.replaceAll("4000", `${appPort}`));
  const [makeTable = "", startBefore = "", serve = "", addColumn = "", register = "", startAfter = ""] = typed;
  try {
    expect([first?.startsWith("export "), typed.length]).toEqual([true, 6]);

    await before.run(makeTable);
    await before.start(startBefore, /App on/);
    const old = new Agent(app);
    const [form] = (await old.follow(await old.get("/"))).forms;
    if (form === undefined) throw new Error("the app has no form");
    const posted = (password: string) => old.post("/sign-in", { login: "grace", password });
    expect((await posted("wrong")).status).toBe(403);
    expect(JSON.parse((await old.follow(await posted(PASSWORD))).text)).toEqual(shown);
    await before.leave();

    await reader.start(serve, /"event":"started"/);
    const owner = new Agent(issuer);
    expect((await signInAt(owner, await owner.get("/login"), PASSWORD)).status).toBe(200);
    const security = await owner.get("/account/security");
    expect(linksOf(security)).toContain(`${app}/account/password`);

    await reader.run(addColumn);
    await reader.run(register);
    await reader.start(startAfter, /App on/);
    const visitor = new Agent(app);
    const asked = await visitor.follow(await visitor.get("/"));
    const consent = await owner.follow(await owner.get(asked.location?.href ?? ""));
    const allowed = await owner.submit(consentForm(consent), { decision: "allow" });
    const back = await visitor.follow(await visitor.get(allowed.location?.href ?? ""));
    expect(JSON.parse(back.text)).toEqual(shown);

    const changed = "a new and rather long password";
    await visitor.post("/account/password", { password: PASSWORD, new: changed });
    const another = new Agent(issuer);
    const refused = await signInAt(another, await another.get("/login"), PASSWORD);
    expect(refused.text).toContain("password is wrong");
    await signInAt(another, refused, changed);
    expect((await another.get("/account/apps")).status).toBe(200);

    await table.query("UPDATE users SET active = false WHERE username = 'grace'");
    const gone = new Agent(issuer);
    await signInAt(gone, await gone.get("/login"), changed);
    expect((await gone.get("/account/apps")).location?.pathname).toBe("/login");
    expect((await another.get("/account/apps")).location?.pathname).toBe("/login");
    const { rows } = await table.query("SELECT username, assent_sub IS NULL AS unlinked FROM users ORDER BY id");
    expect(rows).toEqual([
      { username: "grace", unlinked: false },
      { username: "alan", unlinked: true },
    ]);
  } finally {
    await before.leave();
    await reader.leave();
    await table.end();
    await database.drop();
  }
});

async function signInAt(agent: Agent, shownPage: Page, password: string): Promise<Page> {
  const form = shownPage.forms.find(({ fields }) => fields.has("password"));
  if (form === undefined) throw new Error(`no sign-in form: ${shownPage.status}`);
  return agent.follow(await agent.submit(form, { username: "grace", password }));
}
