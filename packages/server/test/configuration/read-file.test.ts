import { describe, expect, test } from "vitest";
import { configurationSchema, readConfiguration } from "../../src/configuration/index.ts";
import { kinds } from "../../src/configuration/kinds/index.ts";
import { check } from "../../src/http/admin-api/validation.ts";
import { problems, resolve, VALUES } from "./support/test-configuration.ts";

const HEAD = "version: 1\nname: test\n";
const read = (text: string) => problems(readConfiguration(text, resolve));
const client = (lines: string) => `${HEAD}clients:\n  web:\n    client_name: Web\n    type: public\n${lines}`;

describe("AP-03 hostile YAML → refused by its place, quickly, and nothing else happens", () => {
  const laughs = Array.from({ length: 9 }, (_, at) => `l${at + 1}: &l${at + 1} [*l${at}, *l${at}, *l${at}, *l${at}]`);
  test.each([
    ["aliases", `l0: &l0 [lol]\n${laughs.join("\n")}\n${HEAD}`, /anchors/],
    ["10 MB", `${HEAD}# ${"x".repeat(10_000_000)}\n`, /larger than 1024 KiB/],
    ["depth 10,000 in brackets", `${HEAD}clients: ${"[".repeat(10_000)}${"]".repeat(10_000)}`, /nested/],
    ["depth 10,000 by dashes", `${HEAD}clients:\n  ${"- ".repeat(10_000)}x`, /nested/],
    ["!!js/function", `${HEAD}clients: !!js/function "function () {}"`, /tags/],
    ["!!python/object", `${HEAD}clients: !!python/object:os.system {}`, /tags/],
    ["a tag of YAML's own", `${HEAD}clients: !!map {}`, /tags/],
    ["a merge of __proto__", `${HEAD}clients:\n  <<: {__proto__: {polluted: true}}\n`, /key/],
    ["__proto__", `${HEAD}clients:\n  __proto__: {polluted: true}\n`, /can't be a key/],
    ["a key that is there twice", `${HEAD}name: other\n`, /^3:1 this key is there twice/],
    ["two documents", `${HEAD}---\n${HEAD}`, /second document/],
    ["YAML 1.1", `%YAML 1.1\n---\n${HEAD}`, /YAML 1\.2/],
    ["a key that is a list", `${HEAD}clients:\n  ? [a]\n  : {}\n`, /key/],
    ["no YAML", "version: [1\n", /\d/],
    ["NUL", `${HEAD}clients:\n  web:\n    client_name: "a\\0b"\n    type: public\n`, /character/],
  ])("%s", async (_, text, wanted) => {
    const started = performance.now();
    expect(await read(text)).toContainEqual(expect.stringMatching(wanted));
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test.each([
    ["empty", ""],
    ["a comment alone", "# nothing\n"],
    ["a text", "hello"],
    ["a list", "- version: 1\n"],
  ])("%s → says how a file begins", async (_, text) => {
    expect(await read(text)).toEqual(["the file has no configuration: it begins with `version: 1` and `name: NAME`"]);
  });
});

describe("AP-04 types of YAML 1.2", () => {
  test.each([
    ["0123", "client_name: 0123", 'clients.web.client_name: must be a text: quote it: "0123"'],
    ["1e3", "scope: 1e3", 'clients.web.scope: must be a text: quote it: "1e3"'],
    ["true", "client_name: true", 'clients.web.client_name: must be a text: quote it: "true"'],
    ["null in a list", "redirect_uris: [null]", 'clients.web.redirect_uris.0: must be a text: quote it: "null"'],
    ["nothing in a list", "redirect_uris:\n      -", "clients.web.redirect_uris.0: must be a text: write a text"],
  ])("%s where a text is wanted → refused with what to do", async (_, line, wanted) => {
    const text = `${HEAD}clients:\n  web:\n    ${line}\n    type: public\n${line.startsWith("client_name") ? "" : "    client_name: Web\n"}`;
    expect((await read(text)).map((one) => one.replace(/^\d+:\d+ /, ""))).toEqual([wanted]);
  });

  test("no, 12:30:45, an id of digits, the quoted forms → the texts that the file has", async () => {
    const text = `${HEAD}clients:\n  0123:\n    client_name: no\n    type: public\n    publisher: 12:30:45\n    scope: "1e3"\n`;
    const file = await readConfiguration(text, resolve);
    const entries = kinds.flatMap((kind) => file.entriesOf(kind));
    expect(entries).toEqual([
      {
        label: "0123",
        fields: { client_name: "no", type: "public", publisher: "12:30:45", scope: "1e3" },
        secrets: {},
      },
    ]);
  });

  test("a secret like a time → refused as every secret in the file", async () => {
    const lines = await read(client("    client_secret: 12:30:45\n"));
    expect(lines).toEqual([expect.stringMatching(/^7:5 clients\.web\.client_secret: a secret can't be in the file/)]);
  });
});

describe("AP-05 unknown keys", () => {
  test.each([
    [
      "a misspelt field",
      client("    redirect_uri: [https://a.test/]\n"),
      "7:5 clients.web.redirect_uri: is unknown: did you mean redirect_uris?",
    ],
    ["a misspelt section", `${HEAD}client: {}\n`, "3:1 client: is unknown: did you mean clients?"],
    [
      "a key of another kind",
      client("    token_format: jwt\n"),
      expect.stringMatching(/^7:5 clients\.web\.token_format: is unknown/),
    ],
    [
      "a field of the record that nobody sets",
      client("    updated_at: x\n"),
      expect.stringMatching(/updated_at: is unknown/),
    ],
    [
      "a slug in capitals",
      `${HEAD}companies:\n  Acme:\n    name: Acme\n`,
      "4:3 companies.Acme: must be a slug: 1 to 40 of a–z and 0–9, with single dashes between them",
    ],
    ["an unknown version", "version: 2\nname: test\n", "1:1 version: is not known to this program: it must be 1"],
    ["no version", "name: test\n", expect.stringMatching(/^version: is missing/)],
    ["no name", "version: 1\n", expect.stringMatching(/^name: must be 1 to 64/)],
    ["a name with a space", 'version: 1\nname: "my server"\n', expect.stringMatching(/^2:1 name: must be/)],
    [
      "a missing field",
      `${HEAD}clients:\n  web:\n    type: public\n`,
      expect.stringMatching(/^4:3 clients\.web\.client_name: is missing/),
    ],
    [
      "a word that is not allowed",
      client("    refresh: sometimes\n"),
      "7:5 clients.web.refresh: must be one of rotate, keep",
    ],
  ])("%s → refused with its place", async (_, text, wanted) => {
    expect(await read(text)).toEqual([wanted]);
  });
});

describe("AP-07 references", () => {
  test.each([
    ["a variable that is not set", "    client_secret: {env: MISSING}\n", /clients\.web\.client_secret: is not set$/],
    [
      "a secret in the file",
      `    client_secret: ${VALUES["SECRET"]}\n`,
      /client_secret: a secret can't be in the file: write \{env: NAME\}/,
    ],
    ["a reference in a name", "    publisher: {env: SECRET}\n", /publisher: this field can't be a reference/],
    [
      "another key in it",
      "    client_secret: {env: SECRET, file: x}\n",
      /client_secret: a secret can't be in the file/,
    ],
  ])("%s → refused without the value", async (_, line, wanted) => {
    const lines = await read(client(line));
    expect(lines[0]).toMatch(wanted);
    for (const value of Object.values(VALUES)) expect(lines.join()).not.toContain(value);
  });
});

test("the JSON Schema → accepts the references, and refuses what the command refuses", () => {
  const schema = configurationSchema();
  const web = { client_name: "Web", type: "confidential", client_secret: { env: "SECRET" } };
  const file = (entry: object) => ({ version: 1, name: "test", clients: { web: entry } });
  expect(check(schema, file(web))).toBe(true);
  expect(check(schema, file({ ...web, client_secret: "x" }))).toBe(false);
  expect(check(schema, file({ ...web, updated_at: 1 }))).toBe(false);
  expect(check(schema, { ...file(web), policies: { acme: { web: { rule: "block" } } } })).toBe(true);
});

test("each field of a section has a default, so that a change of it is seen; the exceptions are no fields of the record", () => {
  const inputs = ["providers.host", "providers.realm", "policies.lifetime"];
  const without = kinds.flatMap(({ section, schema, defaults, secrets }) => {
    const known = [...Object.keys(defaults({})), ...secrets];
    return Object.keys(schema.properties ?? {})
      .filter((name) => !known.includes(name))
      .map((name) => `${section}.${name}`);
  });
  expect(without.sort()).toEqual(inputs.sort());
});
