/** Texts of strangers in the log contain nothing that controls a terminal. */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import pretty from "pino-pretty";
import { expect, test } from "vitest";
import { plainLine, plainTerminal } from "../src/log.ts";

const STRANGE = "a\u009b31mb\u0085c\u007fd\u202ee\u2028f\u001b[2Jg\r\nh";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
const STEERING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/;

test("JSON lines of a process → no control character in them, and the same value when they are read", () => {
  const program = `import { createLogger } from ${JSON.stringify(join(import.meta.dirname, "..", "src", "log.ts"))};
    createLogger("info").info({ detail: ${JSON.stringify(STRANGE)} }, ${JSON.stringify(STRANGE)});`;
  const line = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(line).not.toMatch(STEERING);
  expect(JSON.parse(line)).toMatchObject({ detail: STRANGE, msg: STRANGE });
});

test("a line without any → the very same line", () => {
  const line = '{"detail":"plain é 写真 \\u001b"}\n';
  expect(plainLine(line)).toBe(line);
});

test("the layout for a terminal → without them, with its own colours", async () => {
  let text = "";
  const stream = pretty({ colorize: true, destination: plainTerminal((piece) => (text += piece)) });
  stream.write(`${JSON.stringify({ level: 30, time: 0, msg: "hello", detail: STRANGE })}\n`);
  await expect.poll(() => text).toContain("detail");
  expect(text).toContain("\u001b[32m");
  for (const colour of ["[32m", "[39m", "[36m", "[35m", "[90m"]) text = text.replaceAll(`\u001b${colour}`, "");
  expect(text).not.toMatch(STEERING);
});
