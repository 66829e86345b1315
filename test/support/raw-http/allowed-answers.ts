/**
 * A small parser of HTTP/1.1 requests, written from RFC 9112 alone. It says which answers a server may give to a stream
 * of bytes. Where the RFC leaves a choice, the comment names its section. For an ambiguous message there is no choice:
 * the server must refuse it and close the connection.
 */

import { type Asked, type Known, serviceOf } from "./endpoint-answers.ts";

/** The answer to one request, in the order of the requests. */
export interface Step {
  /** Allowed statuses for a valid request. Undefined: the server must refuse the request. */
  readonly known: Known | undefined;
  /** Statuses that refuse the request and close the connection. The server reads nothing after such an answer. */
  readonly refusals: readonly number[];
  /** Whether the connection closes after the answer: always, never, or either. */
  readonly closes: boolean | "maybe";
  /**
   * The server may close the connection without an answer, because the client ended the stream before the request was
   * complete.
   */
  readonly silent: boolean;
  /** The server waits for bytes that the client doesn't send, so this side has to end. */
  readonly waits: boolean;
  /**
   * The connection may end after the answer without a further answer, because of a fault in the body that need not be
   * refused.
   */
  readonly breaks: boolean;
  /** An interim `100 Continue` may come first (RFC 9110 §10.1.1). */
  readonly continues: boolean;
  /** The answer has no content, independent of its headers (RFC 9110 §9.3.2). */
  readonly head: boolean;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** RFC 9110 §9.3. A server may refuse to read any other method (§15.6.2). */
const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"];
/** A longer head may be refused as too large (RFC 6585 §5). The server's limit is twice as much. */
const LARGE = 8_000;

/** The properties of a request that its head determines. */
interface Head {
  readonly asked: Asked;
  readonly version: "1.0" | "1.1";
  /** Refusals that the server may choose. */
  readonly may: readonly number[];
}

type Line = { readonly line: string; readonly next: number } | undefined;

/** The bytes up to CRLF. Undefined: there is no CRLF. */
function lineAt(text: string, at: number): Line {
  const end = text.indexOf("\r\n", at);
  return end === -1 ? undefined : { line: text.slice(at, end), next: end + 2 };
}

const refusal = (statuses: readonly number[], more: Partial<Step> = {}): Step => ({
  known: undefined,
  refusals: statuses,
  closes: true,
  ...{ silent: false, waits: false, breaks: false, continues: false, head: false },
  ...more,
});

/** The allowed answers to a stream, after which the client ends its side. */
export function answersTo(text: string): readonly Step[] {
  const steps: Step[] = [];
  let at = 0;
  for (;;) {
    const start = at;
    while (text[at] === "\r" || text[at] === "\n") at += 1;
    if (at === text.length) return steps;
    // RFC 9112 §2.2: empty lines before a request are ignored; a line feed or a carriage return alone need not be one.
    const odd = text.slice(start, at).replaceAll("\r\n", "") !== "";
    const read = requestAt(text, at, odd ? [400] : []);
    steps.push(read.step);
    if (read.next === undefined) return steps;
    at = read.next;
  }
}

interface Read {
  readonly step: Step;
  /** The position of the next request. Undefined: the server reads nothing more. */
  readonly next: number | undefined;
}

function requestAt(text: string, start: number, may: readonly number[]): Read {
  const lines: string[] = [];
  let at = start;
  for (;;) {
    const found = lineAt(text, at);
    if (found === undefined)
      return { step: refusal([400, 431], { silent: true, waits: true, continues: true }), next: undefined };
    // RFC 9112 §2.2: a line feed alone may end a line, and a carriage return alone is invalid. We read neither.
    if (/[\r\n]/.test(found.line)) return { step: refusal([400, 431], { continues: true }), next: undefined };
    at = found.next;
    if (found.line === "") break;
    lines.push(found.line);
    // The preface of HTTP/2 has more lines, which a server may wait for (RFC 9113 §3.4).
    if (/^PRI +/.test(lines[0] ?? "")) return { step: refusal([400], { silent: true, waits: true }), next: undefined };
    const fault = lines.length === 1 ? lineFault(found.line) : fieldFault(found.line);
    // RFC 1945 §4.1: a line without a version is a whole request of HTTP/0.9. A server may wait for its headers and
    // refuse the version.
    const old = lines.length === 1 && !/ HTTP\//.test(found.line);
    if (fault !== undefined && old) return { step: refusal([400, 431, 505], { waits: true }), next: undefined };
    // RFC 9110 §9.3.6: the method alone is enough to refuse CONNECT.
    if (fault !== undefined && /^CONNECT /.test(lines[0] ?? ""))
      return { step: refusal([400, 405, 431], { waits: true }), next: undefined };
    if (fault !== undefined) return { step: refusal([400, 431]), next: undefined };
  }
  const head = headOf(lines, at - start > LARGE ? [...may, 431] : may);
  if ("refusals" in head) return { step: head, next: undefined };
  return bodyAt(text, at, head);
}

/** The status that refuses a request line, as soon as it is complete (RFC 9112 §3). */
function lineFault(line: string): number | undefined {
  const [method = "", target = "", protocol, ...more] = line.split(/ +/);
  if (!TOKEN.test(method) || more.length > 0 || protocol === undefined || line.startsWith(" ")) return 400;
  if (!/^HTTP\/\d\.\d$/.test(protocol)) return 400;
  if (method === "CONNECT") return undefined;
  return /^[\x21-\x7e]*$/.test(target) ? undefined : 400;
}

/** RFC 9112 §5: no space before the colon, no folded line (§5.2), no control character (RFC 9110 §5.5). */
function fieldFault(line: string): number | undefined {
  const colon = line.indexOf(":");
  return colon > 0 && TOKEN.test(line.slice(0, colon)) && VALUE.test(line.slice(colon + 1)) ? undefined : 400;
}

/** The request of a well-formed head, or the reason for its refusal. */
function headOf([first = "", ...lines]: readonly string[], allowed: readonly number[]): Head | Step {
  const may = [...allowed];
  const fields = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "")] as const;
  });
  const all = (name: string) => fields.filter(([one]) => one === name).map(([, value]) => value);
  const [method = "", target = "", protocol] = first.split(/ +/);
  const continues = all("expect").some((value) => /100-continue/i.test(value));
  // The body may have a fault, which the server may see first.
  const refuse = (...statuses: number[]) => refusal([...may, 400, ...statuses], { continues, head: method === "HEAD" });
  // RFC 9112 §3: a lenient server may accept more than one space between words.
  if (/ {2}/.test(first)) may.push(400);
  if (method === "CONNECT") return refuse(400, 405);
  // §3.2: a target that has none of the forms should be refused, and so should an invalid URI (RFC 3986). It may also
  // lead to no endpoint.
  if (!/^(?:\/|\*$|https?:\/\/[^/?#@])[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]*$/i.test(target)) may.push(400);
  // RFC 9110 §15.6.6.
  if (protocol !== "HTTP/1.1" && protocol !== "HTTP/1.0") return refuse(400, 505);
  const version = protocol.slice(5) as Head["version"];
  if (!METHODS.includes(method)) may.push(400, 501);
  // RFC 9112 §3.2.
  const hosts = all("host");
  if (hosts.length > 1 || (hosts.length === 0 && version === "1.1")) return refuse(400);
  if (!hosts.every(isHost)) return refuse(400);
  const coded = all("transfer-encoding");
  const lengths = all("content-length");
  let framing: Asked["framing"] = "none";
  if (coded.length > 0) {
    // RFC 9112 §6.1: HTTP/1.0 has no transfer coding, and a message with both fields may be an attack.
    if (version === "1.0" || lengths.length > 0) return refuse(400, 501, 417);
    const codings = coded.flatMap((value) => value.toLowerCase().split(",")).map((one) => one.trim());
    const real = codings.filter((one) => one !== "");
    if (real.length !== 1 || real[0] !== "chunked") return refuse(400, 501, 417);
    // RFC 9110 §5.6.1: an empty element of a list is ignored. Some white space after the coding isn't (RFC 9112 §5.1).
    if (codings.length > 1 || !lines.some((line) => /^[^:]+:[ \t]*chunked *$/i.test(line))) may.push(400, 501);
    framing = "chunked";
  } else if (lengths.length > 0) {
    // RFC 9110 §8.6: a repeated length may be refused, even with equal values. We refuse it.
    const [length = ""] = lengths;
    if (lengths.length > 1 || !/^[0-9]+$/.test(length) || BigInt(length) >= 2n ** 64n) return refuse(400, 417);
    framing = BigInt(length);
  }
  const asked = { method, target, fields, framing, body: "" };
  if (version === "1.1" && all("expect").length > 0) {
    const expect = all("expect").join(", ");
    // RFC 9110 §10.1.1: any other expectation may be refused. Some lists mean the same in another form.
    if (!/^100-continue$/i.test(expect)) {
      if (!/^(?:100-continue|[, \t])*$/i.test(expect)) return refuse(417);
      may.push(417);
    }
  }
  return { asked, version, may };
}

/** RFC 3986 §3.2.2, without IPvFuture. */
function isHost(value: string): boolean {
  const [all = "", host = ""] = /^(.*?)(?::[0-9]*)?$/s.exec(value) ?? [];
  if (all.startsWith("[")) return /^\[[0-9A-Fa-f:.]*\]$/.test(host);
  return /^(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/.test(host);
}

function bodyAt(text: string, at: number, { asked, version, may }: Head): Read {
  const body = asked.framing === "chunked" ? chunksAt(text, at) : plainAt(text, at, asked.framing);
  const refusals = [...may, ...body.may];
  const whole = { ...asked, body: body.content };
  const known = serviceOf(whole);
  const options = whole.fields
    .filter(([name]) => name === "connection")
    .flatMap(([, value]) => value.toLowerCase().split(","))
    .map((one) => one.trim());
  const upgrade = whole.fields.some(([name]) => name === "upgrade");
  const kept = options.includes("keep-alive");
  const closed = options.includes("close");
  const closes = upgrade || (closed && !(kept && version === "1.0")) || (version === "1.0" && !kept);
  const step: Step = {
    ...{ known, refusals, silent: false, waits: body.waits === true, head: whole.method === "HEAD" },
    breaks: body.may.length > 0 && !known.reads,
    // RFC 9112 §9.3: HTTP/1.0 keeps a connection only with its own option. The meaning of both options together is
    // undefined.
    closes: closes || (closed && kept ? "maybe" : false),
    continues: whole.fields.some(([name, value]) => name === "expect" && /100-continue/i.test(value)),
  };
  if (body.next !== undefined) return { step, next: closes ? undefined : body.next };
  // RFC 9110 §15.5.9: Node.js does not report some faults in the body of an upgrade. A time limit ends such a request.
  if (upgrade)
    return {
      step: {
        ...step,
        known: known.reads ? undefined : known,
        refusals: [...refusals, 400, 408],
        closes: true,
        waits: true,
      },
      next: undefined,
    };
  // RFC 9112 §6.3, §7.1, §8: a body that is incomplete or invalid. If no body was needed, the answer may already be
  // sent.
  return {
    step: { ...step, known: known.reads ? undefined : known, refusals: [...refusals, 400], closes: true },
    next: undefined,
  };
}

interface Body {
  readonly content: string;
  readonly may: readonly number[];
  /** The position after the body. Undefined: the body is incomplete or invalid. */
  readonly next: number | undefined;
  /** The body may continue. */
  readonly waits?: boolean;
}

function plainAt(text: string, at: number, framing: bigint | "none"): Body {
  const length = framing === "none" ? 0n : framing;
  if (length > BigInt(text.length - at)) return { content: "", may: [], next: undefined, waits: true };
  const next = at + Number(length);
  return { content: text.slice(at, next), may: [], next };
}

const QUOTED = '"(?:[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';
const NAME = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const EXTENSIONS = new RegExp(`^(?:;${NAME}(?:=(?:${NAME}|${QUOTED}))?)*$`);

/** RFC 9112 §7.1. */
function chunksAt(text: string, start: number): Body {
  const may: number[] = [];
  let content = "";
  let at = start;
  for (;;) {
    const found = lineAt(text, at);
    const [all = "", digits = "", rest = ""] = /^([0-9A-Fa-f]+)(.*)$/s.exec(found?.line ?? "") ?? [];
    const wrong = { content, may, next: undefined, waits: found === undefined };
    if (found === undefined || all === "" || !VALUE.test(rest) || /^[^; \t]/.test(rest)) return wrong;
    // §7.1.1: unknown extensions are ignored. Bad white space in them, and invalid extensions, may be refused.
    if (!EXTENSIONS.test(rest)) may.push(400);
    const size = BigInt(`0x${digits}`);
    if (size >= 2n ** 64n) return wrong;
    at = found.next;
    if (size === 0n) break;
    if (size + 2n > BigInt(text.length - at)) return { ...wrong, waits: true };
    content += text.slice(at, at + Number(size));
    at += Number(size);
    if (text.slice(at, at + 2) !== "\r\n") return wrong;
    at += 2;
  }
  for (;;) {
    const found = lineAt(text, at);
    if (found === undefined) return { content, may, next: undefined, waits: true };
    at = found.next;
    if (found.line === "") return { content, may, next: at };
    if (fieldFault(found.line) !== undefined) return { content, may, next: undefined };
    // RFC 9110 §6.5.1: a trailer section must not have fields that frame or route a message.
    if (/^(?:content-length|transfer-encoding|host|connection|upgrade|expect)\s*:/i.test(found.line)) may.push(400);
  }
}
