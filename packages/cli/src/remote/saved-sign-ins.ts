/**
 * The tokens of `assent login`, one entry for each server, in a file of the user alone. A token is only read for the
 * server that gave it.
 */

import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { Failure } from "../command-errors.ts";

export interface SignIn {
  readonly access_token: string;
  readonly refresh_token: string | null;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
  readonly scope: string;
}

interface Saved {
  /** The server on which commands work. Null: on the database of this machine. */
  readonly current: string | null;
  readonly servers: Readonly<Record<string, SignIn>>;
}

const NONE: Saved = { current: null, servers: {} };

export function signInsFile(): string {
  const config = process.env["XDG_CONFIG_HOME"];
  // The XDG specification: a relative path is ignored.
  const folder = config?.startsWith("/") ? config : join(homedir(), ".config");
  return join(folder, "assent", "sign-ins.json");
}

function read(): Saved {
  const file = signInsFile();
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return NONE;
  const isOthers = process.getuid !== undefined && found.uid !== process.getuid();
  if (isOthers || (process.platform !== "win32" && (found.mode & 0o077) !== 0)) {
    throw new Failure(
      `${file}: other users may read or write this file, which has your tokens: chmod 600, or delete it`,
    );
  }
  try {
    const { current, servers } = JSON.parse(readFileSync(file, "utf8")) as Saved;
    return { current, servers: { ...servers } };
  } catch {
    throw new Failure(`${file}: the file is damaged: delete it, and run assent login again`);
  }
}

/** Replaces the file in one step, so that two commands at once leave a whole one. */
function write(saved: Saved): void {
  const file = signInsFile();
  if (saved.current === null && Object.keys(saved.servers).length === 0) {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  rmSync(next, { force: true });
  writeFileSync(next, `${JSON.stringify(saved, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(next, file);
}

export function currentServer(): string | null {
  return read().current;
}

export function signInAt(server: string): SignIn | undefined {
  const { servers } = read();
  return Object.hasOwn(servers, server) ? servers[server] : undefined;
}

/** From now on, commands work on this server, if `makeCurrent`. */
export function save(server: string, signIn: SignIn, makeCurrent: boolean): void {
  const { current, servers } = read();
  write({ current: makeCurrent ? server : current, servers: { ...servers, [server]: signIn } });
}

export function forget(server: string): void {
  const { current, servers } = read();
  const others = Object.fromEntries(Object.entries(servers).filter(([one]) => one !== server));
  write({ current: current === server ? null : current, servers: others });
}
