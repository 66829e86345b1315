/** The demo that `npm start` runs: the server, an app that asks for access, and an API. */

import { setTimeout as sleep } from "node:timers/promises";
import { type AssentServer, type Config, ConfigError, isLoopbackHost } from "@assent/server";
import { adminOf, metadataUrl } from "@assent/server/admin";
import { createApi } from "./api/index.ts";
import { createClient } from "./app/client.ts";
import { createApp } from "./app/index.ts";
import { banner, shortPath } from "./banner.ts";
import {
  knownClient,
  knownPassword,
  readablePassword,
  writeClientFile,
  writeDemoFile,
  writeDeviceFile,
} from "./credential-files.ts";
import { OWNER, SCOPES } from "./demo-names-and-texts.ts";
import { freePort, type OpenPort, openPort } from "./open-port.ts";
import { registerApi, registerApp, registerDevice, registerOwner } from "./register-demo-data.ts";
import { startServer } from "./server.ts";

export { type DeviceFile, knownDevice } from "./credential-files.ts";

export interface Demo {
  /** Ends the app, the API and the server, in this order. */
  stop(): Promise<void>;
}

export interface DemoOptions {
  /** Gets the text that says where to click. By default, the text goes to standard output. */
  readonly print?: (text: string) => void;
}

/**
 * Starts server, app and API, and registers what the demo needs (at a second start: what is missing). Then it says
 * where to click and writes `<data dir>/demo.json`. Port 0 means any free port. If `config.listen` has port 0, the
 * issuer gets the chosen port, too.
 *
 * @throws {ConfigError} the issuer isn't on this machine, or a port is in use.
 */
export async function runDemo(config: Config, options: DemoOptions = {}): Promise<Demo> {
  requireLoopback(config.issuer);
  const [appPort, apiPort] = config.demoPorts;
  const closers: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    // Open the ports first: if the demo runs already, this start must not change its data.
    const openApiPort = await openPort(apiPort, { variable: "ASSENT_DEMO_PORTS", what: "the demo's API" });
    closers.push(openApiPort.close);
    const openAppPort = await openPort(appPort, { variable: "ASSENT_DEMO_PORTS", what: "the demo's app" });
    closers.push(openAppPort.close);
    const { assent, stop: stopServer } = await startServer(await settled(config));
    closers.unshift(stopServer);
    const text = await furnish(assent, openAppPort, openApiPort);
    (options.print ?? toStdout)(text);
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function toStdout(text: string): void {
  process.stdout.write(text);
}

function requireLoopback(issuer: string): void {
  if (isLoopbackHost(new URL(issuer).hostname)) return;
  throw new ConfigError([
    `ASSENT_ISSUER: found ${JSON.stringify(issuer)}, wanted a loopback address such as http://localhost:9400: the demo prints the password of its user, so it runs only on this machine (to serve others, run assent serve)`,
  ]);
}

/** Chooses the port if it is 0, because every token contains the issuer's address. */
async function settled(config: Config): Promise<Config> {
  if (config.listen.port !== 0) return config;
  const port = await freePort();
  const issuer = new URL(config.issuer);
  issuer.port = String(port);
  return Object.freeze({
    ...config,
    issuer: issuer.href.replace(/\/$/, ""),
    listen: { ...config.listen, port },
  });
}

/** Registers, opens the app and the API, and writes demo.json. Returns the text to print. */
async function furnish(assent: AssentServer, openAppPort: OpenPort, apiDoor: OpenPort): Promise<string> {
  const { issuer, dataDir } = assent.config;
  const clientUrl = `http://127.0.0.1:${openAppPort.port}`;
  const apiUrl = `http://127.0.0.1:${apiDoor.port}`;
  const context = adminOf(assent.storage, issuer, Date.now, undefined, assent.grants);
  const known = knownPassword(dataDir, OWNER.username);
  const password = known ?? readablePassword();
  const sub = await registerOwner(password, known === undefined, context);
  await registerApi(apiUrl, context);
  const app = await registerApp(clientUrl, knownClient(dataDir), context);
  writeClientFile(dataDir, app);
  if (assent.grants.leadsTo("deviceAuthorization")) {
    writeDeviceFile(dataDir, { issuer, api_url: apiUrl, client_id: await registerDevice(context) });
  }
  const { username } = OWNER;
  const file = writeDemoFile(dataDir, { issuer, client_url: clientUrl, api_url: apiUrl, username, password });
  const facts = { issuer, clientId: app.client_id, clientSecret: app.client_secret, url: clientUrl, apiUrl };
  const client = await createClient(facts).catch((error: unknown) => {
    throw unreachable(assent.config, error);
  });
  await scopesServed(issuer);
  await createApi({ issuer, url: apiUrl, names: new Map([[sub, OWNER.firstName]]) }, apiDoor);
  await createApp(client, { issuer, url: clientUrl, apiUrl, file: shortPath(file) }, openAppPort, assent.log);
  const colour = process.stdout.isTTY === true && process.stdout.hasColors();
  return banner({ issuer, clientUrl, apiUrl, username, password, file }, colour);
}

/**
 * Waits until the server offers the demo's scopes: it knows a change of the database within a second, and the first
 * click needs them.
 */
async function scopesServed(issuer: string): Promise<void> {
  const url = metadataUrl(issuer);
  for (const until = Date.now() + 2000; Date.now() < until; await sleep(50)) {
    const { scopes_supported: served = [] } = (await (await fetch(url)).json()) as { scopes_supported?: string[] };
    if (SCOPES.every(({ name }) => served.includes(name))) return;
  }
}

/**
 * The app reaches the server at the issuer's address, like any other client. So this address must lead to this server.
 */
function unreachable({ issuer, listen: { host, port } }: Config, error: unknown): ConfigError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ConfigError([
    `ASSENT_ISSUER: found ${issuer}, where the demo's app can't reach this server (${reason}), wanted the address of this server, which listens on ${host}:${port}: set ASSENT_ISSUER and ASSENT_LISTEN to the same port`,
  ]);
}
