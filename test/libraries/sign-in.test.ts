/**
 * The web apps of examples/sign-in in Go, Python and Java, and with Next.js: a person signs in at a real server, over a connection without
 * TLS. `npm run test:libraries` runs this file and prints the times. A language that is missing, or whose packages can't
 * be fetched, is skipped and says why.
 */

import { execFile } from "node:child_process";
import { appendFileSync, cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/person.ts";
import { freePort } from "../support/free-port.ts";
import { aReader, commandsOf, type Reader } from "../support/run-commands-of-example.ts";
import { signInAtApp } from "../support/sign-in-at-app.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

const root = join(import.meta.dirname, "../..");

let server: TestServer;
let reader: Reader;
let person: Person;

beforeAll(async () => {
  server = await startServer();
  person = await server.addPerson({
    ...{ username: "demo", name: "Dana Moor", email: "demo@example.test", emailVerifiedAt: server.now() },
  });
  const env = { ISSUER: server.issuer, ASSENT_ISSUER: server.issuer, ASSENT_DATA_DIR: server.dataDir };
  reader = aReader({ ...settings(), ...env }, new Set());
  // A copy, because these languages write beside their sources.
  const examples = join(reader.folder, "examples");
  rmSync(examples);
  cpSync(join(root, "examples"), examples, { recursive: true });
});
afterAll(async () => {
  await reader.leave();
  await server.stop();
});

/** Where Go, pip, npm and Maven keep what they fetched, and how they reach the network on this machine. */
function settings(): Readonly<Record<string, string>> {
  const wanted =
    /^(?:HOME|NODE_EXTRA_CA_CERTS|PIP_\w+|GO\w+|MAVEN_\w+|npm_config_(?:registry|cache|userconfig|cafile)|\w+_proxy)$/i;
  const entries = Object.entries(process.env).filter(([name]) => wanted.test(name));
  // Without a network, npm would try for minutes.
  return { npm_config_fetch_retries: "1", ...Object.fromEntries(entries.map(([name, value = ""]) => [name, value])) };
}

/** The program's version. Undefined: it is not on this machine. */
async function versionOf([program, ...args]: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program ?? "", args);
    return (stdout || stderr).split("\n")[0];
  } catch {
    return undefined;
  }
}

/** What package managers say if the network is missing. */
const OFFLINE =
  /dial tcp|no such host|i\/o timeout|Could not transfer|Unknown host|NewConnectionError|No matching distribution|Connection refused|ENOTFOUND|EAI_AGAIN|ECONN\w+|proxyconnect/i;

const figure = (line: string) => {
  const file = process.env["ASSENT_TEST_FIGURES"];
  if (file !== undefined) appendFileSync(file, `${line}\n`);
};

interface Language {
  readonly example: string;
  readonly needs: readonly (readonly string[])[];
  /** What the app prints when it is ready. */
  readonly ready: RegExp;
  /** Its address, if that is not http://127.0.0.1:4000. */
  readonly app?: string;
  /** What the app shows of the person. */
  readonly shown: (personId: string) => Readonly<Record<string, unknown>>;
}

const allClaims = (personId: string) => ({
  ...{ sub: personId, name: "Dana Moor", email: "demo@example.test", email_verified: true },
  // Only the ID token has these.
  ...{ aud: expect.anything(), nonce: expect.any(String), acr: "1fa", sid: expect.any(String) },
});

const LANGUAGES: readonly (readonly [string, Language])[] = [
  [
    "Go with go-oidc",
    {
      example: "go/main.go",
      needs: [["go", "version"]],
      ready: /App on/,
      shown: allClaims,
    },
  ],
  [
    "Python with Flask and Authlib",
    {
      example: "python/app.py",
      needs: [["python3", "--version"]],
      ready: /Running on/,
      shown: allClaims,
    },
  ],
  [
    "Next.js with Auth.js",
    {
      example: "next-js/auth.js",
      needs: [["npm", "--version"]],
      ready: /Ready in/,
      app: "http://localhost:4000",
      shown: (id) => ({ id, name: "Dana Moor", email: "demo@example.test" }),
    },
  ],
  [
    "Java with Spring Security",
    {
      example: "spring/src/main/java/app/SignIn.java",
      needs: [
        ["java", "-version"],
        ["mvn", "--version"],
      ],
      ready: /Started SignIn/,
      shown: allClaims,
    },
  ],
];

test.for(LANGUAGES)(
  "%s: a person signs in → the app has their claims",
  { timeout: 300_000 },
  async ([name, { example, needs, ready, app = "http://127.0.0.1:4000", shown }], { skip }) => {
    const versions = await Promise.all(needs.map(versionOf));
    const missing = needs.find((_, at) => versions[at] === undefined);
    if (missing !== undefined) return skip(`there is no ${missing[0]} on this machine`);

    const port = await freePort();
    const commands = commandsOf(`examples/sign-in/${example}`).map((each) => each.replaceAll("4000", `${port}`));
    const begin = performance.now();
    for (const command of commands.slice(0, -1)) {
      try {
        await reader.run(command);
      } catch (error) {
        const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
        const reason = `${stdout}\n${stderr}`.split("\n").find((line) => OFFLINE.test(line));
        if (reason !== undefined) return skip(`the packages can't be fetched: ${reason.trim().slice(0, 160)}`);
        throw new Error(`${command}: ${stdout}${stderr}`);
      }
    }
    const built = performance.now();
    await reader.start(commands.at(-1) ?? "", ready);
    const started = performance.now();
    const { claims } = await signInAtApp(app.replace("4000", `${port}`), server.issuer, "demo");
    const seconds = [built - begin, started - built, performance.now() - started].map((time) =>
      (time / 1000).toFixed(1),
    );
    figure(`${name}: built in ${seconds[0]} s, started in ${seconds[1]} s, signed in in ${seconds[2]} s`);

    expect(claims).toMatchObject(shown(person.personId));
    // A library that first tries another method, or sends a parameter that nobody understands, leaves a trace.
    const refused = server.log.filter((line) => line.includes('"refused"'));
    expect(refused).toEqual([]);
  },
);
