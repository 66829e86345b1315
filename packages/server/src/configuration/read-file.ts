/** Reads a configuration: the text, the check against the schemas of the admin API, and the references. */

import { nearest } from "../http/admin-api/nearest-name.ts";
import { check, problemsOf } from "../http/admin-api/validation.ts";
import { NAME, VERSION } from "./file-schema.ts";
import type { Entry, Fields, Kind, Schema } from "./kind.ts";
import { kinds } from "./kinds/index.ts";
import { ConfigurationError, type Place, type Problem, refuseAll } from "./problems.ts";
import { readSource, type Source, type Value } from "./yaml-source.ts";

/** A place outside of the file that has the value. */
export type Reference = { readonly env: string } | { readonly file: string };

/** The value, or what is wrong with the reference. It never repeats a value. */
export type Resolved = { readonly value: string } | { readonly problem: string };

/** Reads a reference with the rights of the caller. */
export type Resolve = (reference: Reference) => Promise<Resolved>;

export interface Configuration {
  readonly name: string;
  entriesOf(kind: Kind): readonly Entry[];
  /** The place of a field of an entry, as it is in the file. */
  problemAt(kind: Kind, label: string, field: string | null, problem: string): Problem;
}

/** Most entries of all sections. */
export const MOST_ENTRIES = 5_000;

/** Throws a `ConfigurationError` with all problems. */
export async function readConfiguration(text: string, resolve: Resolve): Promise<Configuration> {
  const source = readSource(text);
  const top = recordOf(source.value);
  if (top === undefined || Object.keys(top).length === 0) {
    const problem = "the file has no configuration: it begins with `version: 1` and `name: NAME`";
    throw new ConfigurationError([{ field: null, problem }]);
  }
  const reading = new Reading(source, resolve);
  return reading.read(top);
}

type RecordValue = { readonly [key: string]: Value };

function recordOf(value: Value | undefined): RecordValue | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as RecordValue) : undefined;
}

function pathOf(kind: Kind, label: string): readonly string[] {
  return [kind.section, ...(kind.nested ? label.split(" ") : [label])];
}

/** Names of fields in messages of use-cases that differ from those in the file. */
const ALIASES: Readonly<Record<string, string>> = {
  ...{ email_domain: "email_domains", client: "clients", change_client: "change_clients", subject: "subjects" },
  ...{ subject_attribute: "subject_claim", claim: "claims", add_email_domain: "email_domains" },
};

/** The name that a field of a problem or a remark has in the file. */
export const nameInFile = (field: string) => ALIASES[field] ?? field;

class Reading {
  readonly #source: Source;
  readonly #resolve: Resolve;
  readonly #problems: Problem[] = [];
  readonly #entries = new Map<string, Entry[]>();

  constructor(source: Source, resolve: Resolve) {
    this.#source = source;
    this.#resolve = resolve;
  }

  async read(top: RecordValue): Promise<Configuration> {
    this.#unknown(Object.keys(top), ["version", "name", ...kinds.map(({ section }) => section)], []);
    const { version, name } = top;
    if (version !== VERSION) {
      const found = version === undefined ? "is missing" : "is not known to this program";
      this.#wrong(["version"], `${found}: it must be ${VERSION}`);
    }
    if (typeof name !== "string" || !NAME.test(name))
      this.#wrong(["name"], "must be 1 to 64 of a–z, 0–9 and dashes: it marks the records that this file describes");
    for (const kind of kinds) await this.#section(kind, top[kind.section]);
    const count = [...this.#entries.values()].reduce((sum, { length }) => sum + length, 0);
    if (count > MOST_ENTRIES) this.#wrong([], `has ${count} entries; at most ${MOST_ENTRIES} are allowed`);
    refuseAll(this.#problems);
    const [entries, source] = [this.#entries, this.#source];
    return {
      name: String(name),
      entriesOf: ({ section }) => entries.get(section) ?? [],
      problemAt(kind, label, field, problem) {
        const known = field === null ? [] : [nameInFile(field)];
        const path = [...pathOf(kind, label), ...known];
        return { field: path.join("."), problem, place: source.positionOf(path) };
      },
    };
  }

  #wrong(path: readonly string[], problem: string): void {
    const place: Place | undefined = this.#source.positionOf(path);
    this.#problems.push({ field: path.length === 0 ? null : path.join("."), problem, place });
  }

  #unknown(names: readonly string[], known: readonly string[], path: readonly string[]): readonly string[] {
    const wrong = names.filter((name) => !known.includes(name));
    for (const name of wrong) {
      const near = nearest(name, known);
      const hint = near === undefined ? `known are ${known.join(", ")}` : `did you mean ${near}?`;
      this.#wrong([...path, name], `is unknown: ${hint}`);
    }
    return wrong;
  }

  async #section(kind: Kind, value: Value | undefined): Promise<void> {
    if (value === undefined || value === null) return;
    const section = recordOf(value);
    if (section === undefined)
      return this.#wrong([kind.section], `must have a key for each ${kind.noun}: ${kind.keyed}`);
    const list: Entry[] = [];
    this.#entries.set(kind.section, list);
    for (const [key, one] of Object.entries(section)) {
      if (!kind.nested) {
        list.push(...(await this.#entry(kind, key, one)));
        continue;
      }
      const below = recordOf(one);
      if (below === undefined) this.#wrong([kind.section, key], `must have a key for each ${kind.noun}`);
      for (const [second, value_] of Object.entries(below ?? {}))
        list.push(...(await this.#entry(kind, `${key} ${second}`, value_)));
    }
  }

  /** Empty: it has problems. */
  async #entry(kind: Kind, label: string, value: Value): Promise<readonly Entry[]> {
    const path = pathOf(kind, label);
    if (path.some((part) => part === "" || /\s/.test(part))) {
      this.#wrong(path, `is no ${kind.keyed}`);
      return [];
    }
    const keyProblem = kind.keyProblem?.(label);
    if (keyProblem !== undefined) {
      this.#wrong(path, keyProblem);
      return [];
    }
    const fields = recordOf(value ?? {});
    if (fields === undefined) {
      this.#wrong(path, "must have fields");
      return [];
    }
    const before = this.#problems.length;
    const { rest, secrets } = await this.#references(kind, path, fields);
    this.#check(kind, path, rest);
    return this.#problems.length > before ? [] : [{ label, fields: rest, secrets }];
  }

  async #references(kind: Kind, path: readonly string[], fields: RecordValue) {
    const secrets: Record<string, string> = {};
    const rest: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(fields)) {
      const isSecret = kind.secrets.includes(name);
      const reference = referenceIn(value);
      if (isSecret && reference === undefined) {
        this.#wrong(
          [...path, name],
          "a secret can't be in the file: write {env: NAME} or {file: path}, and put it there",
        );
      } else if (reference === undefined || !(isSecret || (kind.documents.includes(name) && "file" in reference))) {
        rest[name] = value;
        if (reference !== undefined) this.#wrong([...path, name], "this field can't be a reference: write its value");
      } else {
        const resolved = await this.#resolve(reference);
        if ("problem" in resolved) this.#wrong([...path, name], resolved.problem);
        else if (isSecret) secrets[name] = resolved.value;
        else rest[name] = resolved.value;
      }
    }
    return { rest, secrets };
  }

  #check(kind: Kind, path: readonly string[], fields: Fields): void {
    const { properties = {}, patternProperties = {} } = kind.schema as Schema & {
      readonly patternProperties?: Readonly<Record<string, Schema>>;
    };
    const patterns = Object.keys(patternProperties).map((one) => new RegExp(one));
    const plain = Object.keys(fields).filter((name) => !patterns.some((one) => one.test(name)));
    const unknown = this.#unknown(plain, [...new Set([...Object.keys(properties), ...kind.secrets])], path);
    const known = Object.fromEntries(Object.entries(fields).filter(([name]) => !unknown.includes(name)));
    if (check(kind.schema, known)) return;
    const unquoted = Object.entries(known).flatMap(([name, value]) =>
      this.#unquoted(properties[name] ?? { type: "string" }, value, [...path, name]),
    );
    if (unquoted.length > 0) return;
    for (const { field, problem } of problemsOf(kind.schema, known)) {
      const below = field === null ? [] : field.split(".");
      const named =
        below.length > 0 && this.#source.positionOf([...path, ...below]) === undefined ? below.slice(0, 1) : below;
      this.#wrong([...path, ...named], problem);
    }
  }

  /** Values that YAML reads as numbers, truth values or nothing where a text is wanted. */
  #unquoted(schema: Schema, value: unknown, path: readonly string[]): readonly string[] {
    const texts = (one: Schema): boolean =>
      one["type"] === "string" || ((one["anyOf"] as readonly Schema[] | undefined) ?? []).some(texts);
    const items = schema["items"] as Schema | undefined;
    if (Array.isArray(value) && items !== undefined)
      return value.flatMap((one, at) => this.#unquoted(items, one, [...path, String(at)]));
    if (typeof value === "string" || typeof value === "object" ? value !== null : value === undefined) return [];
    if (!texts(schema) || check(schema, value)) return [];
    const text = this.#source.textOf(path) ?? "";
    const how = text === "" ? "write a text" : `quote it: "${text.slice(0, 60)}"`;
    this.#wrong(path, `must be a text: ${how}`);
    return [path.join(".")];
  }
}

function referenceIn(value: Value): Reference | undefined {
  const record = recordOf(value);
  if (record === undefined || Object.keys(record).length !== 1) return undefined;
  const { env, file } = record;
  if (typeof env === "string") return { env };
  return typeof file === "string" ? { file } : undefined;
}
