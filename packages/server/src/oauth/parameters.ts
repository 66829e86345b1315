/** Parameters of a request, parsed once (RFC 6749 §§3.1, 3.2, Appendix B). */

import { refuse } from "./errors.ts";

/** Name → value. A parameter without a value counts as absent (RFC 6749 §3.1). */
export type Parameters = ReadonlyMap<string, string>;

/** A request's parameters. Only `resource` (RFC 8707 §2) and `audience` (RFC 8693 §2.1) may repeat. */
export interface ParsedParameters {
  readonly single: Parameters;
  readonly resource: readonly string[];
  readonly audience: readonly string[];
  /** The first problem of form. A parameter that is repeated, malformed or too long is left out of the others. */
  readonly problem: ParameterProblem | null;
}

export interface ParameterProblem {
  readonly condition: "parameter_repeated" | "parameter_malformed" | "parameter_too_long" | "too_many_parameters";
  /** The parameter's name; "" if it can't be read. */
  readonly name: string;
}

const MAX_PARAMETERS = 100;

/** Maximum length of a value in characters. For any other parameter: 2,048. */
const MAX_LENGTH: ReadonlyMap<string, number> = new Map([
  ["state", 4096],
  ["scope", 4096],
  ["id_token_hint", 8192],
  ["claims", 8192],
  ["token", 16_384],
  ["subject_token", 16_384],
  ["actor_token", 16_384],
  ["assertion", 65_536],
  ["client_assertion", 65_536],
]);

/**
 * Values that can hold any character except NUL here: one is only echoed, one only hashed, two have a grammar
 * and an error of their own.
 */
const UNJUDGED: ReadonlySet<string> = new Set(["state", "password", "scope", "claims"]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Printable ASCII without a space: without escapes, such a text is well-formed and has no control character. */
const PLAIN = /^[!-~]*$/;

/** Reads `application/x-www-form-urlencoded` text in one pass: the body of a POST or a query string. Never throws. */
export function parseParameters(text: string): ParsedParameters {
  const reading = new Reading(PLAIN.test(text));
  let start = 0;
  while (start < text.length) {
    let end = text.indexOf("&", start);
    if (end === -1) end = text.length;
    if (end > start && !reading.pair(text.slice(start, end))) break;
    start = end + 1;
  }
  return reading;
}

/** Like `parseParameters`, for endpoints that refuse at once. */
export function parseOrRefuse(text: string): ParsedParameters {
  const parsed = parseParameters(text);
  if (parsed.problem !== null) refuse(parsed.problem.condition, loggable(parsed.problem.name));
  return parsed;
}

class Reading implements ParsedParameters {
  readonly single = new Map<string, string>();
  readonly resource: string[] = [];
  readonly audience: string[] = [];
  problem: ParameterProblem | null = null;
  /** Names that were sent and are not in `single`. */
  #absent: Set<string> | undefined;
  #count = 0;
  readonly #plain: boolean;

  /** `plain`: the whole text is. */
  constructor(plain: boolean) {
    this.#plain = plain;
  }

  /** False: there are too many, stop. */
  pair(pair: string): boolean {
    this.#count += 1;
    if (this.#count > MAX_PARAMETERS) {
      this.problem ??= { condition: "too_many_parameters", name: "" };
      return false;
    }
    const plain = this.#plain && !isEscaped(pair);
    const equals = pair.indexOf("=");
    const rawName = equals === -1 ? pair : pair.slice(0, equals);
    const rawValue = equals === -1 ? "" : pair.slice(equals + 1);
    const name = plain ? rawName : decode(rawName);
    if (name === undefined) this.problem ??= { condition: "parameter_malformed", name: "" };
    else this.#add(name, plain ? rawValue : decode(rawValue), plain);
    return true;
  }

  #add(name: string, value: string | undefined, plain: boolean): void {
    const fault = this.#faultOf(name, value, plain);
    if (fault !== undefined) {
      this.problem ??= { condition: fault, name };
      this.single.delete(name);
      this.#miss(name);
    } else if (value === undefined || value === "") {
      this.#miss(name);
    } else if (name === "resource" || name === "audience") {
      this[name].push(value);
    } else {
      this.single.set(name, value);
    }
  }

  #miss(name: string): void {
    this.#absent ??= new Set();
    this.#absent.add(name);
  }

  #faultOf(name: string, value: string | undefined, plain: boolean): ParameterProblem["condition"] | undefined {
    if (name !== "resource" && name !== "audience" && (this.single.has(name) || this.#absent?.has(name)))
      return "parameter_repeated";
    if (value === undefined || (!plain && value.includes("\0"))) return "parameter_malformed";
    if (value.length > (MAX_LENGTH.get(name) ?? 2048)) return "parameter_too_long";
    return plain || UNJUDGED.has(name) || !CONTROL.test(value) ? undefined : "parameter_malformed";
  }
}

/** Decodes `+` and percent-encoding. Undefined: not strict UTF-8, a lone surrogate, or a stray `%`. */
function decode(text: string): string | undefined {
  if (!isEscaped(text)) return text.isWellFormed() ? text : undefined;
  try {
    const decoded = decodeURIComponent(text.replaceAll("+", " "));
    return decoded.isWellFormed() ? decoded : undefined;
  } catch {
    return undefined;
  }
}

function isEscaped(text: string): boolean {
  return text.includes("%") || text.includes("+");
}

/** The name in a form that is safe to log, because an unknown name could hold anything. */
function loggable(name: string): string {
  return /^[a-z_]{1,40}$/.test(name) ? name : "(unknown name)";
}
