/** The demo that `npm start` runs: the server, an app that wants something, and an API that has it. */

import { setTimeout as sleep } from "node:timers/promises";
import { type AssentServer, type Config, ConfigError, isLoopbackHost } from "@assent/server";
import { adminOf } from "@assent/server/admin";
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
} from "./credentials.ts";
import { OWNER, SCOPES } from "./facts.ts";
import { freePort, type OpenPort, openPort } from "./open-port.ts";
import { registerApi, registerApp, registerDevice, registerOwner } from "./register.ts";
import { startServer } from "./server.ts";

export { type DeviceFile, knownDevice } from "./credentials.ts";

export interface Demo {
  /** Ends the app, the API and the server, in this order. */
  stop(): Promise<void>;
}

export interface DemoOptions {
  /** Takes the text that tells where to click; by default it goes to standard output. */
  readonly print?: (text: string) => void;
}

/**
 * Starts the three, registers what the demo needs (at a second start: what is missing), says where to click and writes
 * `<data dir>/demo.json`. Port 0 is any free port; of `config.listen`, the issuer gets it, too.
 *
 * @throws {ConfigError} the issuer isn't on this machine, or a port is taken.
 */
export async function runDemo(config: Config, options: DemoOptions = {}): Promise<Demo> {
  requireLoopback(config.issuer);
  const [appPort, apiPort] = config.demoPorts;
  const closers: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    // Ports first: where the demo runs already, nothing of its data is touched.
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
    `ASSENT_ISSUER: found ${JSON.stringify(issuer)}, wanted a loopback address such as http://localhost:9400: the demo has a user whose password it prints, which is for this machine alone (a server for others is started by assent serve)`,
  ]);
}

/** With port 0, the port is chosen now: the issuer's address is in every token. */
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

/** Registers, opens the app and the API, writes demo.json; gives the text to print. */
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

/** What is new in the database is known to servers within a second; whoever clicks as soon as there is something to click shall not be told otherwise. */
async function scopesServed(issuer: string): Promise<void> {
  const { origin, pathname } = new URL(issuer);
  const url = `${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`;
  for (const until = Date.now() + 2000; Date.now() < until; await sleep(50)) {
    const { scopes_supported: served = [] } = (await (await fetch(url)).json()) as { scopes_supported?: string[] };
    if (SCOPES.every(({ name }) => served.includes(name))) return;
  }
}

/** The app comes by the issuer's address like any other client: that must lead to this server. */
function unreachable({ issuer, listen: { host, port } }: Config, error: unknown): ConfigError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ConfigError([
    `ASSENT_ISSUER: found ${issuer}, where the demo's app meets no Assent (${reason}), wanted the address under which this server, listening on ${host}:${port}, is reached: set ASSENT_ISSUER and ASSENT_LISTEN to the same port`,
  ]);
}
