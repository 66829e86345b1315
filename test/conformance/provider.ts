/** The Assent server under test: over TLS, with the person and the clients of the plans. */

import { execFile, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../support/free-port.ts";
import { aCertificate } from "../support/make-certificates.ts";

const root = join(import.meta.dirname, "..", "..");
const command = join(root, "packages", "cli", "bin", "assent.js");
const SCOPES = "openid profile email phone address offline_access";

export interface ProviderClient {
  readonly client_id: string;
  readonly client_secret: string;
}

export interface ClientWish {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUri?: string;
  readonly backChannelLogoutUri?: string;
  readonly authMethod?: "client_secret_basic" | "client_secret_post";
}

export interface Person {
  readonly username: string;
  readonly password: string;
}

export interface Provider {
  readonly issuer: string;
  readonly person: Person;
  /** All that the server has written to stdout and stderr. */
  output(): string;
  addClient(wish: ClientWish): Promise<ProviderClient>;
  /** With it, the suite registers clients of its own (RFC 7591 §3). */
  initialAccessToken(): Promise<string>;
  /** The next signing key is published. */
  rotateKeys(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server on an empty database. `trusted`: certificates (PEM) of servers to which it sends logout tokens. */
export async function startProvider(trusted: string): Promise<Provider> {
  const dataDir = mkdtempSync(join(tmpdir(), "assent-conformance-"));
  const port = await freePort();
  const issuer = `https://localhost:${port}`;
  const { certPath, keyPath } = aCertificate({ subject: "/CN=localhost", names: "DNS:localhost,IP:127.0.0.1" });
  writeFileSync(join(dataDir, "suite.pem"), trusted);
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("ASSENT_"));
  const env = {
    ...Object.fromEntries(inherited),
    ASSENT_ISSUER: issuer,
    ASSENT_LISTEN: `127.0.0.1:${port}`,
    ASSENT_DATA_DIR: dataDir,
    ASSENT_TLS_CERT: certPath,
    ASSENT_TLS_KEY: keyPath,
    ASSENT_REGISTRATION: "token",
    // The suite is at a loopback address, with its own certificate.
    ASSENT_OUTBOUND_ALLOW: "127.0.0.0/8,::1/128",
    NODE_EXTRA_CA_CERTS: join(dataDir, "suite.pem"),
  };
  const server = spawn(process.execPath, [command, "serve"], { cwd: dataDir, env, stdio: ["ignore", "pipe", "pipe"] });
  const killed = () => server.kill("SIGKILL");
  process.once("exit", killed);
  const ended = new Promise<void>((resolve) => server.once("close", () => resolve()));
  let output = "";
  const started = new Promise<void>((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        if (output.includes('"event":"started"')) resolve();
      });
    void ended.then(() => reject(new Error(`Assent did not start:\n${output}`)));
  });
  await started;

  const assent = async <Answer>(args: readonly string[], input = ""): Promise<Answer> => {
    const running = promisify(execFile)(process.execPath, [command, ...args, "--json"], { cwd: dataDir, env });
    running.child.stdin?.end(input);
    return JSON.parse((await running).stdout) as Answer;
  };
  return {
    issuer,
    person: await addPerson(assent),
    output: () => output,
    addClient: (wish) => assent<ProviderClient>(clientArguments(wish)),
    async initialAccessToken() {
      // OpenID Connect Core has nonce and no PKCE, and leaves the audience of an assertion to the server (§9).
      const terms = ["--reviewed", "--no-require-pkce", "--token-endpoint-audience"];
      const args = ["registration", "create-token", "--uses", "1000", ...terms];
      return (await assent<{ initial_access_token: string }>(args)).initial_access_token;
    },
    async rotateKeys() {
      await assent(["key", "rotate"]);
    },
    async stop() {
      process.off("exit", killed);
      server.kill("SIGTERM");
      await ended;
    },
  };
}

function clientArguments({ name, redirectUris, postLogoutRedirectUri, backChannelLogoutUri, authMethod }: ClientWish) {
  return [
    ...["client", "create", "--type", "confidential", "--name", name, "--scope", SCOPES],
    ...["--auth-method", authMethod ?? "client_secret_basic"],
    ...["authorization_code", "refresh_token"].flatMap((one) => ["--grant-type", one]),
    ...redirectUris.flatMap((uri) => ["--redirect-uri", uri]),
    ...(postLogoutRedirectUri === undefined ? [] : ["--post-logout-redirect-uri", postLogoutRedirectUri]),
    ...(backChannelLogoutUri === undefined ? [] : ["--backchannel-logout-uri", backChannelLogoutUri]),
  ];
}

/** A person with a value for every claim that the server knows. */
async function addPerson(assent: (args: readonly string[], input?: string) => Promise<unknown>): Promise<Person> {
  const person = { username: "ada", password: "correct horse battery staple" };
  const details = {
    ...{ username: person.username, email: "ada@example.com", name: "Ada Lovelace" },
    ...{ "given-name": "Ada", "middle-name": "Augusta", "family-name": "Lovelace", nickname: "Countess" },
    ...{ birthdate: "1985-12-10", gender: "female", locale: "en-GB", zoneinfo: "Europe/London" },
    ...{ website: "https://ada.example/", "profile-url": "https://social.example/@ada" },
    "phone-number": "+44 20 7946 0000",
    ...{ street: "12 St James’s Square", "postal-code": "SW1Y 4JH", locality: "London", region: "London" },
    country: "United Kingdom",
  };
  const options = Object.entries(details).flatMap(([option, value]) => [`--${option}`, value]);
  await assent(["user", "create", ...options, "--phone-verified", "--password-stdin"], person.password);
  await assent(["user", "update", person.username, "--picture", join(root, "docs", "images", "demo.png")]);
  return person;
}
