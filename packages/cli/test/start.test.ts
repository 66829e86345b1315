import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "../../../test/support/free-port.ts";
import { SOURCE_MAIN } from "../../../test/support/published-packages.ts";
import { aWorkspace, type Running, type Workspace } from "./support/run-command.ts";

const PRELOAD = `--import ${pathToFileURL(join(import.meta.dirname, "support", "record-module-loads.js")).href}`;
const LANGUAGES = ["en", "de", "fr", "es", "ja", "ar"];

let at: Workspace;
let server: Running | undefined;
beforeEach(() => {
  // These tests are about the modules of the sources; the published program has few files.
  at = aWorkspace(SOURCE_MAIN);
});
afterEach(async () => {
  server?.child.kill("SIGKILL");
  await server?.ended();
  server = undefined;
  at.remove();
});

/** Starts a server. Resolves when it listens. */
async function serve(env: Readonly<Record<string, string>> = {}): Promise<{ server: Running; issuer: string }> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  server = at.start(["serve"], { env: { ASSENT_ISSUER: issuer, ASSENT_LISTEN: `127.0.0.1:${port}`, ...env } });
  await server.event("started");
  return { server, issuer };
}

const askForPage = (url: string, language: string) =>
  fetch(url, { headers: { accept: "text/html", "accept-language": language } });

describe("pages that are loaded after the start", () => {
  test("a language can't be loaded → the log says so, pages are 500 and come back at once, programs are served", async () => {
    const { server, issuer } = await serve({ NODE_OPTIONS: PRELOAD, LOADS_BROKEN: "/messages/ja/index.ts" });
    const answers = await Promise.all(["de", "ja"].map((language) => askForPage(`${issuer}/login`, language)));
    expect(answers.map(({ status }) => status)).toEqual([500, 500]);
    expect(await answers[0]?.json()).toMatchObject({ error: "server_error" });
    expect(await server.event("refused")).toMatchObject({
      condition: "server_error",
      err: { message: "/messages/ja/index.ts can't be read" },
    });
    expect(await server.event("pages_missing")).toMatchObject({ level: "error" });
    const nowhere = await askForPage(`${issuer}/nowhere`, "de");
    expect(nowhere.status).toBe(500);
    expect((await fetch(`${issuer}/nowhere`)).status).toBe(404);
    expect((await fetch(`${issuer}/token`, { method: "POST" })).status).toBe(400);
    expect((await fetch(`${issuer}/.well-known/oauth-authorization-server`)).status).toBe(200);
  });

  test("50 first visitors at once, in six languages → each reads a page in theirs", async () => {
    const { issuer } = await serve();
    const asked = Array.from({ length: 50 }, (_, index) => LANGUAGES[index % LANGUAGES.length] ?? "en");
    const pages = await Promise.all(
      asked.map(async (language) => {
        const answer = await askForPage(`${issuer}/login`, language);
        return `${answer.status} ${/<html lang="([a-z]+)"/.exec(await answer.text())?.[1]}`;
      }),
    );
    expect(pages).toEqual(asked.map((language) => `200 ${language}`));
  });
});

describe("what a start loads", () => {
  test("until the server listens: no page, no fetch client, no package that others need; at most 305 files and the migrations", async () => {
    const file = join(at.folder, "loads");
    const { issuer } = await serve({ NODE_OPTIONS: PRELOAD, LOADS_FILE: file });
    await askForPage(`${issuer}/login`, "en");
    const all = readFileSync(file, "utf8").trimEnd().split("\n");
    const people = all.findIndex((url) => url.endsWith("/http/page-endpoints.ts"));
    expect(people).toBeGreaterThan(0);
    const before = all.slice(0, people).filter((url) => !url.startsWith("node:"));
    const needless =
      /^undici|\/pages\/(?!brand|contrast)|node_modules\/(?:preact|htm|qr|pg|sharp|jose|nodemailer|@node-rs|@simplewebauthn|@xmldom|xml-crypto|fastify|pino-pretty)\//;
    expect(before.filter((url) => needless.test(url))).toEqual([]);
    // The newest files: the verbs of how companies' people sign in, because every server knows all providers; for the admin
    // API only its scopes, which clients can ask for at once, and its verbs, because the writer's thread knows all verbs.
    // For token exchange, its entry in the registry and its verbs.
    // For events, their verbs and the timer of the process that seals them. For webhooks, their verbs and their filter, which
    // the transaction that seals needs. For clients that register themselves, their verbs.
    // For apps that companies connect with other servers, their verbs. What a grant without a page changes, and how a
    // password that nobody knows is told apart.
    // A migration is a file that stays for good, so the number of them says nothing about the start.
    const others = before.filter((url) => !/\/migrations\/\d{4}-/.test(url));
    expect(others.length).toBeLessThanOrEqual(305);
  });
});
