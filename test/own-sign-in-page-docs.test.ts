/** Types the commands of docs/integrate/own-sign-in-page.md word for word, with the server that the page configures. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "./support/free-port.ts";
import { Agent } from "./support/http-browser.ts";
import { blocksOf } from "./support/markdown-code-blocks.ts";
import { challengeIn } from "./support/own-sign-in-page.ts";
import { aReader, commandsOf, type Reader } from "./support/run-commands-of-example.ts";
import { isSignedIn } from "./support/sign-in-providers.ts";

const page = readFileSync(join(import.meta.dirname, "../docs/integrate/own-sign-in-page.md"), "utf8");
const typed = blocksOf(page.replaceAll(/^ {3}/gm, ""))
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) =>
    text
      .trim()
      .replaceAll(/ \\\n +/g, " ")
      .split("\n"),
  );
const [create = "", read = "", accept = "", reject = ""] = typed;
/** The example's commands, which the page names for the rest. */
const [migrate = "", , serve = ""] = commandsOf("examples/own-sign-in-page/page.ts");

let reader: Reader;
let issuer: string;
let own: string;

function hasCurl(): boolean {
  try {
    return execFileSync("curl", ["--version"]).length > 0;
  } catch {
    return false;
  }
}

beforeAll(async () => {
  const [port, pagePort] = await Promise.all([freePort(), freePort()]);
  issuer = `http://localhost:${port}`;
  own = `http://localhost:${pagePort}/sign-in`;
  reader = aReader({ ASSENT_ISSUER: issuer, ASSENT_LISTEN: `127.0.0.1:${port}` }, new Set());
  await reader.run(migrate);
  await reader.run(create.replace(/^assent/, "npx assent"));
  await reader.start(serve.replaceAll("4000", String(pagePort)), /"event":"started"/);
});
afterAll(() => reader?.leave());

/** A browser that was sent to the page. The reader knows its challenge. */
async function sentThere(): Promise<Agent> {
  const agent = new Agent(issuer);
  reader.printed.set("challenge", challengeIn(await agent.get("/login"), own));
  return agent;
}

const ask = async (command: string) =>
  JSON.parse(await reader.run(command.replaceAll("https://id.example.com", issuer))) as Record<string, unknown>;

test("each command of the page → what the page says", async ({ skip }) => {
  if (!hasCurl()) return skip("there is no curl on this machine");
  expect(typed).toHaveLength(4);
  const agent = await sentThere();
  const about = await ask(read);
  for (const [, names = ""] of section("### Read a challenge").matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm))
    for (const name of names.matchAll(/`(\w+)`/g)) expect(about).toHaveProperty(String(name[1]));
  expect(about).toMatchObject({ purpose: "account", client: null, signed_in: null });
  const accepted = await ask(accept);
  expect(Object.keys(accepted)).toEqual(["redirect_to"]);
  await agent.follow(await agent.get(String(accepted["redirect_to"])));
  expect(await isSignedIn(agent)).toBe(true);
  const other = await sentThere();
  const shown = await other.get(String((await ask(reject))["redirect_to"]));
  expect(shown.text).toContain("You stopped the sign-in at");
  expect(await isSignedIn(other)).toBe(false);
});

function section(heading: string): string {
  const [, text = ""] = page.split(`${heading}\n`);
  return text.split("\n#")[0] ?? "";
}
