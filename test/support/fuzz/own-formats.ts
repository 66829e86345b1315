/** Parsers of our own formats and of input from operators and people, and the properties of each. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommanderError, InvalidArgumentError } from "commander";
import { UsageError } from "../../../packages/cli/src/command-errors.ts";
import { translations } from "../../../packages/cli/src/commands/scope.ts";
import { shown } from "../../../packages/cli/src/print-records.ts";
import { limitOption, listOption, secondsOption } from "../../../packages/cli/src/shared-options.ts";
import { settingKeys, settingOf } from "../../../packages/server/src/config-settings.ts";
import { DerivedCredentials } from "../../../packages/server/src/crypto/derived-credentials.ts";
import { seal, textSealer, unseal } from "../../../packages/server/src/crypto/seal.ts";
import { Secrets } from "../../../packages/server/src/crypto/server-secret.ts";
import { isFormToken } from "../../../packages/server/src/http/form-token.ts";
import { displayTextProblem } from "../../../packages/server/src/oauth/names/display-name.ts";
import { nameKeys, skeleton, usernameLookAlike } from "../../../packages/server/src/oauth/names/look-alikes.ts";
import { carried, openDevice, openRequest } from "../../../packages/server/src/owners/authorization/continuation.ts";
import {
  canonicalDomain,
  canonicalEmail,
  canonicalLogin,
  canonicalUsername,
} from "../../../packages/server/src/owners/canonical-login.ts";
import { canonicalSlug } from "../../../packages/server/src/owners/company-rules.ts";
import { newEmail, newUsername } from "../../../packages/server/src/owners/new-username-and-email.ts";
import { accentText, readBrandColors } from "../../../packages/server/src/pages/branding.ts";
import { localPath, visible, webAddress } from "../../../packages/server/src/pages/untrusted-text.ts";
import { contentsOf, NotAnExport } from "../../../packages/server/src/storage/move/read-export-file.ts";
import type { Parser } from "./harness.ts";

const HOSTILE = ["\0", "\r\n", "\u202e", "\ud800", "😀", "é", "\u00a0", "\ufeff", "__proto__"];
const secrets = new Secrets([Buffer.alloc(32, 1), Buffer.alloc(32, 2)]);
const sealer = textSealer(secrets);
const BASE64URL = ["A", "B", "_", "-", "AQ", "Ag", "AAAA", "=", "+", "/", " ", ".", ...HOSTILE];

const sealed: Parser = {
  name: "sealed",
  longest: 40_000,
  pieces: BASE64URL,
  check(input) {
    // No input is accepted, because only the server can make a valid one.
    assert.equal(openRequest(input, "browser", sealer), undefined);
    assert.equal(openDevice(input, "browser", sealer), undefined);
    assert.equal(unseal(secrets, "mail", "m", Buffer.from(input, "base64url")), undefined);
    assert.equal(isFormToken(new URLSearchParams({ csrf: input }), { nonce: "x" }, { secrets }), false);
    // Everything that we seal can be opened again.
    const request = { kind: "request", query: input, startedAt: 1, nonce: "n", codeSalt: "s" } as const;
    const { request: text = "" } = carried(request, input, { sealer });
    if (text.length <= 32_768 && input.isWellFormed()) assert.deepEqual(openRequest(text, input, sealer), request);
    assert.equal(openRequest(text, `${input}x`, sealer), undefined);
    const code = { userCode: input.slice(0, 100), claimedBy: null, clientId: input.slice(0, 100), confirmed: true };
    const entry = { kind: "device", ...code } as const;
    const { device = "" } = carried(entry, "b", { sealer });
    if (input.isWellFormed() && entry.userCode.isWellFormed()) assert.deepEqual(openDevice(device, "b", sealer), entry);
    const plain = Buffer.from(input);
    assert.deepEqual(unseal(secrets, "mail", "m", seal(secrets, "mail", "m", plain)), plain);
  },
};

const credentials = new DerivedCredentials(secrets);
const ID = Buffer.alloc(16, 3).toString("base64url");
const KINDS = ["code", "refresh_token", "device_code", "session", "device", "invitation", "mail link"] as const;

const credential: Parser = {
  name: "credential",
  longest: 16_384,
  pieces: [...["ac_", "rt_", "dc_", "iv_", "ml_", "AQ"], ...BASE64URL],
  check(input) {
    for (const kind of KINDS) assert.equal(credentials.read(kind, input), undefined);
    const salt = Buffer.alloc(32);
    Buffer.from(input).copy(salt);
    for (const kind of KINDS) {
      const made = credentials.make(kind, ID, input.length, salt);
      const read = credentials.read(kind, made);
      assert.deepEqual(
        [read?.id, read?.generation, Buffer.from(read?.salt ?? []).equals(salt)],
        [ID, input.length, true],
      );
      // Another spelling of the same bytes, or additional text around it, is refused.
      for (const other of [`${made}=`, ` ${made}`, `${made}${input}`.slice(0, 40_000), made.slice(0, -1)])
        if (other !== made) assert.equal(credentials.read(kind, other), undefined);
    }
  },
};

const configuration: Parser = {
  name: "configuration",
  longest: 16_384,
  pieces: [
    ...[
      "1",
      "0",
      "9",
      "-",
      "true",
      "yes",
      "off",
      "none",
      ",",
      ", ",
      " ",
      "localhost",
      "127.0.0.1",
      "[::1]",
      ":",
      ":9400",
      "/",
    ],
    ...[
      "https://id.test",
      "http://",
      "postgres://u:p@h/db",
      "sqlite:",
      "smtp://",
      "smtps://u:p@h:465",
      "10.0.0.0/8",
      "::/0",
    ],
    ...["a@b.test", "#1a4fd0", "forever", "once", "authorization_code", "AAAA".repeat(11), "=", "%", "\t", ...HOSTILE],
  ],
  check(input) {
    for (const key of settingKeys) {
      const setting = settingOf[key];
      const value = setting.parse(input) as Parameters<typeof setting.accepts>[0] | undefined;
      // A program may set everything that a file may set.
      if (value !== undefined) assert.ok((setting.accepts as (one: unknown) => boolean)(value), `${key} ${input}`);
      setting.problem?.(input);
    }
  },
};

const folder = mkdtempSync(join(tmpdir(), "assent-fuzz-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

const exported: Parser = {
  name: "export",
  longest: 200_000,
  pieces: [
    ...[
      '{"assent_export":1,"tables":[]}\n',
      '{"done":true,"sha256":"',
      '"}\n',
      '{"table":"people","columns":["a"]}\n',
      "[1]\n",
    ],
    ...[
      '[{"b":"AA"}]\n',
      '{"end":"people","rows":1,"digest":"0"}\n',
      "\n",
      "{",
      "}",
      "[",
      "]",
      "null\n",
      "1\n",
      '"\n',
      ...HOSTILE,
    ],
  ],
  async check(input) {
    const file = join(folder, "export");
    writeFileSync(file, input);
    try {
      const { header, sha256 } = await contentsOf(file);
      assert.equal(header.assent_export, 1);
      assert.ok(input.includes(sha256));
    } catch (error) {
      if (!(error instanceof NotAnExport)) throw error;
      assert.ok(error.message.length < 300);
    }
  },
};

/** The value of an option for a word. Undefined: it refuses, as commander's options do. */
function optionOf(option: ReturnType<typeof secondsOption>, text: string): unknown {
  try {
    return option.parseArg?.(text, undefined);
  } catch (error) {
    if (error instanceof InvalidArgumentError || error instanceof CommanderError) return undefined;
    throw error;
  }
}

const words: Parser = {
  name: "command-line",
  longest: 16_384,
  pieces: [
    ..."0123456789",
    "-",
    "+",
    ".",
    "e",
    "=",
    "de=",
    "DE=Fotos",
    " ",
    "\n",
    "\t",
    "x",
    "\u001b[31m",
    "\u009b",
    ...HOSTILE,
  ],
  check(input) {
    const seconds = optionOf(secondsOption("--s <n>", ""), input);
    if (seconds !== undefined) assert.match(input, /^\d{1,9}$/);
    const limit = optionOf(limitOption(), input);
    if (limit !== undefined) assert.ok(Number.isInteger(limit) && Number(limit) >= 1);
    const list = optionOf(listOption("--l <n>", "", { words: true }), input) as string[];
    assert.ok(list.every((word) => word !== "" && !/\s/.test(word)));
    try {
      const given = translations([input], "--name-lang");
      assert.equal(Object.keys(given ?? {}).length, 1);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
    }
    // The terminal gets no escape sequences.
    assert.doesNotMatch(shown(input), /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
  },
};

const names: Parser = {
  name: "names",
  longest: 2000,
  pieces: [
    ...[
      "a",
      "A",
      "alice",
      "Ж",
      "а",
      "Α",
      "日",
      "ア",
      "한",
      "ก",
      "ي",
      "م\u200c",
      "र\u094d\u200d",
      "\u200d",
      "\u200c",
      "\ufe0f",
      "\u0301",
    ],
    ...[
      "\u0323",
      "\u20e3",
      "👩\u200d💻",
      "🇩🇪",
      "1",
      "١",
      "१",
      ".",
      "-",
      "_",
      " ",
      "@",
      "x.test",
      "ⅼ",
      "𝗣",
      "Ａ",
      "ﬁ",
      "ß",
      "İ",
      "ı",
    ],
    ...["\u034f", "\u{e0100}", "\u{e0067}", "ᠠ\u180b", ...HOSTILE],
  ],
  check(input) {
    for (const canonical of [canonicalUsername, canonicalEmail, canonicalLogin, canonicalDomain, canonicalSlug]) {
      const once = canonical(input);
      if (once !== undefined) assert.equal(canonical(once), once);
    }
    const made = newUsername(input);
    if (made !== undefined) {
      // A new username can sign in, is new in its canonical spelling, and has no invisible characters.
      assert.deepEqual(newUsername(made.username), made);
      assert.equal(canonicalLogin(made.username), made.username);
      assert.doesNotMatch(made.username, /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}@]/u);
      // The name that this one looks like doesn't look like any third name.
      if (made.lookAlike !== null) assert.equal(usernameLookAlike(made.lookAlike), null);
    }
    const email = newEmail(input);
    if (email !== undefined) assert.equal(newEmail(email), email);
    const problem = displayTextProblem(input, 120);
    if (problem === undefined) {
      assert.equal(displayTextProblem(input.normalize("NFC"), 120), undefined);
      assert.doesNotMatch(input, /[\p{Cc}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
    } else assert.doesNotMatch(problem, /undefined|NaN/);
    assert.equal(skeleton(skeleton(input)), skeleton(input));
    // Names that differ only in case and spaces are equal.
    const keys = nameKeys(input);
    if (input.trim() !== "") assert.ok(nameKeys(` ${input} `).some((key) => keys.includes(key)));
  },
};

const shownText: Parser = {
  name: "shown-text",
  longest: 12_400,
  pieces: [
    ...[
      "https://",
      "http://",
      "javascript:",
      "//",
      "/",
      "\\",
      "/\\",
      "a",
      "x.test",
      "?",
      "#",
      "\t",
      "\n",
      " ",
      "%",
      "\u200d",
      "\u0301",
    ],
    ...["#1a4fd0", ",", "#9db8ff", "#fff", "#ffffff", "rgb(", ...HOSTILE],
  ],
  check(input) {
    const once = visible(input, 100);
    assert.equal(visible(once, 102), once);
    assert.doesNotMatch(once, /[\p{Cc}\p{Cs}\p{Co}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
    const link = webAddress(input);
    if (link !== null) assert.match(new URL(link).protocol, /^https?:$/);
    const path = localPath(input);
    // The address stays on this server, for every URL parser.
    if (path !== null) assert.equal(new URL(path, "https://id.test").origin, "https://id.test");
    const accent = accentText(input);
    if (accent !== undefined) assert.equal(accentText(accent), accent);
    readBrandColors(input);
  },
};

export const ownParsers: readonly Parser[] = [sealed, credential, configuration, exported, words, names, shownText];
