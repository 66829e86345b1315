/** Server processes on a core of their own, and what they say of themselves. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { FromServer, ToServer, Usage } from "./server-control.ts";

/** True: servers have core 0 for themselves, the load has core 1. */
export const pinned = pin();

function pin(): boolean {
  if (availableParallelism() < 2) return false;
  try {
    execFileSync("taskset", ["-a", "-p", "-c", "1", String(process.pid)], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export interface ServerProcess {
  readonly port: number;
  usage(): Promise<Usage>;
  /** Profiles the main thread until `save`. */
  profile(): Promise<void>;
  save(file: string): Promise<void>;
  end(): Promise<void>;
}

/** Starts `bench/<file>` and waits for its port. Its log goes nowhere, as fast as that takes it. */
export async function start(
  file: "assent-server.ts" | "bare-server.ts",
  { args = [], env = {} }: { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ServerProcess> {
  const command = [process.execPath, join(import.meta.dirname, file), ...args];
  const [program = "", ...rest] = pinned ? ["taskset", "-c", "0", ...command] : command;
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("ASSENT_"));
  const child = spawn(program, rest, {
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const { port } = await answer(child, "port");
  return {
    port,
    usage: async () => (await asked(child, { ask: "usage" }, "usage")).usage,
    profile: async () => void (await asked(child, { ask: "profile" }, "done")),
    save: async (path) => void (await asked(child, { save: path }, "done")),
    end: () => {
      child.disconnect();
      return ended;
    },
  };
}

type Said<Name extends string> = Extract<FromServer, { readonly [name in Name]: unknown }>;

function asked<Name extends "usage" | "done">(child: ChildProcess, message: ToServer, name: Name): Promise<Said<Name>> {
  const answered = answer(child, name);
  child.send(message);
  return answered;
}

function answer<Name extends "port" | "usage" | "done">(child: ChildProcess, name: Name): Promise<Said<Name>> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null) => reject(new Error(`a server ended with ${code}`));
    child.once("exit", gone);
    child.once("message", (message: FromServer) => {
      child.off("exit", gone);
      if (name in message) resolve(message as Said<Name>);
      else reject(new Error(`a server said ${JSON.stringify(message)}`));
    });
  });
}
