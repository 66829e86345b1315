/** Requests and responses as they were sent, for the timeline. The app shortens secrets before it stores anything. */

/** One line of a message, ready for display. */
export type Line =
  /** `start`: the request line or the status line. */
  | { readonly kind: "start" | "body"; readonly text: string }
  | { readonly kind: "header" | "field"; readonly name: string; readonly value: string };

export interface Exchange {
  readonly request: readonly Line[];
  readonly answer: readonly Line[];
  readonly status: number;
  /** The server's page about the error, if the response names one. */
  readonly errorUri: string | null;
  /** Milliseconds from request to response. */
  readonly took: number;
}

/** Headers that an OAuth specification mentions. The timeline hides the others. */
const SHOWN_HEADERS = new Set([
  "accept",
  "authorization",
  "cache-control",
  "content-type",
  "host",
  "location",
  "retry-after",
  "www-authenticate",
]);

const LONG = 34;

/** Keeps a secret's first and last characters. A JWT keeps its three parts. Short and readable values stay unchanged. */
export function shorten(value: string): string {
  const cut = (text: string, head: number, tail: number) =>
    text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`;
  const bearer = /^(Bearer) (.+)$/.exec(value);
  if (bearer?.[2] !== undefined) return `Bearer ${shorten(bearer[2])}`;
  const parts = value.split(".");
  if (value.startsWith("eyJ") && parts.length === 3) return parts.map((part) => cut(part, 6, 4)).join(".");
  const prefix = /^(?:ac|rt|cs)_/.exec(value)?.[0];
  if (prefix !== undefined) return `${prefix}${cut(value.slice(prefix.length), 4, 4)}`;
  return value.length > LONG && /^[A-Za-z0-9_-]+$/.test(value) ? cut(value, 6, 4) : value;
}

/** A GET request by the browser, with one parameter in each line. */
export function browserRequest(url: URL): Line[] {
  return [start("GET", url), { kind: "header", name: "host", value: url.host }, ...fields(url.searchParams)];
}

function start(method: string, url: URL): Line {
  return { kind: "start", text: `${method} ${url.pathname}${url.search === "" ? "" : "?…"}` };
}

function fields(parameters: URLSearchParams): Line[] {
  return [...parameters].map(([name, value]) => ({ kind: "field", name, value: shorten(value) }));
}

function headers(entries: Iterable<readonly [string, string]>): Line[] {
  return [...entries]
    .filter(([name]) => SHOWN_HEADERS.has(name.toLowerCase()))
    .map(([name, value]) => ({ kind: "header", name: name.toLowerCase(), value: shorten(value) }));
}

/** The arguments that openid-client passes to `fetch`. */
export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>> | Headers;
  readonly body?: unknown;
}

/** Converts a request and its response to lines. The caller can still read the response. */
export async function recordExchange(address: string, sent: Sent, answer: Response, took: number): Promise<Exchange> {
  const url = new URL(address);
  const text = await answer.clone().text();
  const sentHeaders = sent.headers instanceof Headers ? [...sent.headers] : Object.entries(sent.headers);
  const body = sent.body instanceof URLSearchParams ? fields(sent.body) : [];
  const json = parsed(text, answer.headers.get("content-type"));
  return {
    request: [
      start(sent.method, url),
      { kind: "header", name: "host", value: url.host },
      ...headers(sentHeaders.filter(([name]) => name.toLowerCase() !== "host")),
      ...body,
    ],
    answer: [
      { kind: "start", text: `${answer.status} ${answer.statusText}`.trim() },
      ...headers(answer.headers),
      ...(text === "" ? [] : [{ kind: "body", text: json === undefined ? text.slice(0, 500) : pretty(json) } as const]),
    ],
    status: answer.status,
    errorUri: errorUriOf(json),
    took,
  };
}

function parsed(text: string, type: string | null): unknown {
  if (!type?.includes("json")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorUriOf(json: unknown): string | null {
  const uri = (json as { error_uri?: unknown } | null | undefined)?.error_uri;
  return typeof uri === "string" && /^https?:\/\//.test(uri) ? uri : null;
}

/** JSON with shortened long values. Of a list of objects, it shows the first one and the number of the others. */
export function pretty(json: unknown): string {
  const brief = (value: unknown): unknown => {
    if (typeof value === "string") return value.startsWith("data:") ? `${value.slice(0, 24)}…` : shorten(value);
    if (Array.isArray(value)) {
      const [first, ...rest] = value;
      return typeof first === "object" && rest.length > 0 ? [brief(first), `… ${rest.length} more`] : value.map(brief);
    }
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, brief(each)]));
  };
  const text = JSON.stringify(brief(json), null, 2);
  // Lists of simple values are easier to read on one line.
  return text.replace(/\[\s+("[^[\]{}]*?"|[\d.,\s]+)\s+\]/g, (list) =>
    list.length > 160 ? list : list.replace(/\s+/g, " "),
  );
}

/** The two readable parts of a JWT, without verification: the API verifies it, the app only shows it. Undefined if the token is not a JWT. */
export function decodedJwt(token: string): { header: unknown; claims: Readonly<Record<string, unknown>> } | undefined {
  const [header, claims] = token.split(".");
  try {
    const read = (part = "") => JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return { header: read(header), claims: read(claims) };
  } catch {
    return undefined;
  }
}

/** The same token with changed claims and the old signature, as a thief or a dishonest app could send it. */
export function forged(token: string, claims: Readonly<Record<string, unknown>>): string {
  const [header = "", payload = "", signature = ""] = token.split(".");
  const old = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as Record<string, unknown>;
  return [header, Buffer.from(JSON.stringify({ ...old, ...claims })).toString("base64url"), signature].join(".");
}
