/** Reads a configuration's file and the places that it refers to, with the rights of the operator who runs the command. */

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import type { Reference, Resolve, Resolved } from "@assent/server/configuration";
import { Failure } from "./command-errors.ts";

/** In bytes. */
const MAX_SECRET = 65_536;

/** Reads a file that is no pipe and not larger than `most` bytes. Undefined instead of an error: it is not there. */
async function boundedFile(path: string, most: number): Promise<Uint8Array | "missing" | "no_file" | "too_large"> {
  let file: FileHandle;
  try {
    // Without O_NONBLOCK, a pipe without a writer would hold the command for ever.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return "missing";
    throw error;
  }
  try {
    const state = await file.stat();
    if (!state.isFile()) return "no_file";
    if (state.size > most) return "too_large";
    const bytes = Buffer.alloc(most + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length);
      length += bytesRead;
      if (bytesRead === 0) return bytes.subarray(0, length);
      if (length > most) return "too_large";
    }
  } finally {
    await file.close();
  }
}

async function boundedInput(most: number): Promise<Uint8Array | "too_large"> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk as Uint8Array);
    length += bytes.length;
    if (length > most) return "too_large";
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The text of a configuration. `-`: standard input. */
export async function configurationText(path: string, most: number): Promise<string> {
  const read = path === "-" ? await boundedInput(most) : await boundedFile(path, most);
  if (read === "missing") throw new Failure(`there is no file ${path}`);
  if (read === "no_file") throw new Failure(`${path} is not a file; to read standard input, use -f -`);
  if (read === "too_large") throw new Failure(`${path} is larger than ${most / 1024} KiB, which is the most`);
  const text = decoded(read);
  if (text === undefined) throw new Failure(`${path} is not text in UTF-8`);
  return text;
}

/** `file`: the configuration, beside which relative paths begin. */
export function referencesOf(file: string, env: Readonly<Record<string, string | undefined>>): Resolve {
  const folder = file === "-" ? "." : dirname(file);
  return (reference) => resolve(reference, folder, env);
}

async function resolve(
  reference: Reference,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Resolved> {
  if ("env" in reference) {
    const { env: name } = reference;
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return { problem: "env must be the name of a variable" };
    const value = env[name];
    if (value === undefined || value === "") return { problem: `the environment variable ${name} is not set` };
    return plain(value, `the environment variable ${name}`);
  }
  const { file } = reference;
  const named = JSON.stringify(file.slice(0, 200));
  if (file === "" || file.includes("\0")) return { problem: "file must be a path" };
  if (file.split(/[\\/]/).includes(".."))
    return { problem: `the path ${named} leads out of its folder: write it without ..` };
  let read: Awaited<ReturnType<typeof boundedFile>>;
  try {
    read = await boundedFile(isAbsolute(file) ? file : join(folder, file), MAX_SECRET);
  } catch (error) {
    return { problem: `the file ${named} can't be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})` };
  }
  if (read === "missing") return { problem: `there is no file ${named}` };
  if (read === "no_file") return { problem: `${named} is not a file` };
  if (read === "too_large") return { problem: `the file ${named} is larger than ${MAX_SECRET / 1024} KiB` };
  const text = decoded(read);
  return text === undefined ? { problem: `the file ${named} is not text` } : plain(text, `the file ${named}`);
}

/** Editors end a file with a line break, which is no part of the secret. */
function plain(text: string, source: string): Resolved {
  const value = text.replace(/\r?\n$/, "");
  if (value === "") return { problem: `${source} is empty` };
  return value.includes("\0") ? { problem: `${source} is not text` } : { value };
}
