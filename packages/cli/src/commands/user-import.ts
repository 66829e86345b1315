/** `assent user import`: people of another system, with the hashes of their passwords. */

import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import type { Command } from "commander";
import { Failure } from "../command-errors.ts";
import { counted } from "../confirm.ts";
import type { WireRecord } from "../print-records.ts";
import { type JsonOption, verb, withAdmin } from "../shared-options.ts";

/** Refused lines that the command prints. A report file has all. */
const PRINTED = 100;

export function importCommand(user: Command): void {
  verb(user, "import <file>", "import people from an NDJSON file, one JSON object on each line; - reads standard input")
    .option("--report <file>", "write the result of each line to this file, as NDJSON")
    .addHelpText(
      "after",
      `
Fields of a line: username and email; email_verified, name, password_hash, must_change_password, and details such as given_name.
password_hash: argon2, bcrypt, scrypt or PBKDF2. It is replaced at the person's next sign-in.
A line that is refused does not stop the others; the exit code is then 1. Run the command again after you mended the file.

Example:
  echo '{"username": "ada", "email": "ada@example.com", "email_verified": true}' | assent user import -`,
    )
    .action(importFile);
}

async function importFile(file: string, { report, ...options }: JsonOption & { readonly report?: string }) {
  await withAdmin(options, async (admin, out) => {
    const { importedRecord, importUsers, MAX_IMPORT_LINE } = await import("@assent/server/admin");
    const written = report === undefined ? undefined : createWriteStream(report, { flags: "wx", mode: 0o600 });
    if (written !== undefined) await opened(written, report ?? "");
    const counts = { created: 0, exists: 0, refused: 0 };
    const refused: WireRecord[] = [];
    for await (const result of importUsers(linesOf(file, MAX_IMPORT_LINE), admin)) {
      const record = importedRecord(result);
      counts[result.kind] += 1;
      if (result.kind === "refused" && refused.length < PRINTED) refused.push(record);
      if (written?.write(`${JSON.stringify(record)}\n`) === false) await once(written, "drain");
    }
    if (written !== undefined) {
      written.end();
      await once(written, "finish");
    }
    out.report({ ...counts, refused_lines: refused }, () => {
      process.stdout.write(
        `Imported ${counted(counts.created, "person", undefined, "people")}. ${counts.exists} existed already. ${counts.refused} refused.\n`,
      );
      for (const one of refused) out.warn(`line ${String(one["line"])}: ${problemsOf(one)}`);
    });
    const rest = counts.refused - refused.length;
    if (rest > 0) out.note(`${rest} more lines were refused: use --report FILE to see all`);
    if (counts.refused > 0) process.exitCode = 1;
  });
}

function problemsOf(record: WireRecord): string {
  const errors = record["errors"] as readonly { readonly field: string | null; readonly problem: string }[];
  return errors.map(({ field, problem }) => (field === null ? problem : `${field}: ${problem}`)).join("; ");
}

async function opened(stream: ReturnType<typeof createWriteStream>, file: string): Promise<void> {
  await once(stream, "open").catch((error: Error) => {
    throw new Failure(`${file}: the file can't be written (${error.message})`);
  });
}

/** The lines of a file of any size. What is beyond the length of a line is left out: the line is refused then. */
export async function* linesOf(file: string, longest: number): AsyncGenerator<Uint8Array> {
  const input = file === "-" ? process.stdin : createReadStream(file);
  let line: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of input) {
      let rest: Buffer = Buffer.from(chunk as Uint8Array);
      for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
        yield joined(line, rest.subarray(0, end), longest);
        line = Buffer.alloc(0);
        rest = rest.subarray(end + 1);
      }
      line = joined(line, rest, longest);
    }
  } catch (error) {
    throw new Failure(`${file}: the file can't be read (${(error as Error).message})`);
  }
  if (line.length > 0) yield line;
}

function joined(line: Buffer, more: Buffer, longest: number): Buffer {
  const room = longest + 1 - line.length;
  return room <= 0 ? line : Buffer.concat([line, more.subarray(0, room)]);
}
