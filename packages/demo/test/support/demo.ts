/** A demo on free ports, with its own data directory. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, configOf } from "@assent/server";
import { runDemo } from "../../src/index.ts";

export interface DemoJson {
  readonly issuer: string;
  readonly client_url: string;
  readonly api_url: string;
  readonly username: string;
  readonly password: string;
}

export interface RunningDemo {
  readonly json: DemoJson;
  readonly dataDir: string;
  /** The output of the demo. */
  readonly text: string;
  /** Ends the demo and keeps its data. */
  stop(): Promise<void>;
}

const folders: string[] = [];

export function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "assent-demo-"));
  folders.push(folder);
  return join(folder, "data");
}

export function removeDataDirs(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function testConfig(values: Partial<Config> = {}): Config {
  return configOf({
    dataDir: newDataDir(),
    listen: { host: "127.0.0.1", port: 0 },
    demoPorts: [0, 0],
    logLevel: "silent",
    ...values,
  });
}

export function readDemoJson(dataDir: string): DemoJson {
  return JSON.parse(readFileSync(join(dataDir, "demo.json"), "utf8"));
}

export async function startDemo(values: Partial<Config> = {}): Promise<RunningDemo> {
  const config = testConfig(values);
  const printed: string[] = [];
  const { stop } = await runDemo(config, { print: (text) => void printed.push(text) });
  return { json: readDemoJson(config.dataDir), dataDir: config.dataDir, text: printed.join(""), stop };
}
