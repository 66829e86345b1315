/**
 * The guarded fetcher: the only code of this server that sends requests to addresses that others wrote (RFC 7591 §5,
 * RFC 9700 §4.9).
 */

import { lookup as dnsLookup, type LookupAddress } from "node:dns";
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { LRUCache } from "lru-cache";
import type { Millis } from "../oauth/model.ts";
import { type AddressRanges, isLoopbackAddress, isPublicAddress, rangesOf } from "./public-address.ts";

/** The longest time for one fetch, waiting included. */
export const FETCH_TIMEOUT: Millis = 5_000;
/** Maximum number of simultaneous fetches, in total and for one host. So a slow host delays only itself. */
export const MAX_PARALLEL = 8;
export const MAX_PARALLEL_PER_HOST = 2;
/** The same for a fetcher whose users wait in front of their browsers. */
export const FOR_PEOPLE: Parallel = { total: 64, perHost: 32 };
/** Maximum number of bytes of a document, unless the caller wants fewer. */
export const MAX_DOCUMENT = 1_048_576;
/** After this number of consecutive failures, the server doesn't ask the host for a while. */
const FAILURES_IN_A_ROW = 4;
const LEFT_ALONE: Millis = 60_000;
/** The same where people wait: many who come at once can make a good host slow for a moment. */
export const LEFT_ALONE_BY_PEOPLE: Millis = 10_000;
const MAX_WAITING = 200;

/**
 * `refused`: the address is not allowed, and nothing was sent. `busy`: too many fetches wait. `left_alone`: the host
 * failed several times just before. `bad_answer`: a status other than 200, a redirect, or a body that is encoded or too
 * long.
 */
export type FetchFault = "refused" | "busy" | "left_alone" | "timeout" | "unreachable" | "bad_answer";

export type Fetched =
  | { readonly kind: "fetched"; readonly body: Buffer; readonly type: string; readonly maxAge: number | null }
  /** `detail` is for the log only. */
  | { readonly kind: "failed"; readonly fault: FetchFault; readonly detail: string };

export interface FetchOptions {
  /** Maximum number of bytes, not above `MAX_DOCUMENT`. */
  readonly maxBytes?: number;
  /** The Accept header. */
  readonly accept?: string;
  /** A form to post. Then any status from 200 to 299 is good, and the body of the answer is not read. */
  readonly form?: string;
}

/** A request of a client that judges the answer itself. */
export interface Asked {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Maximum number of bytes of the answer, not above `MAX_DOCUMENT`. */
  readonly maxBytes?: number;
  /** True: of a longer answer, only its beginning is read, and of an encoded one nothing. */
  readonly cut?: boolean;
}

export type Answered =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Buffer;
    }
  | Extract<Fetched, { kind: "failed" }>;

/** Maximum numbers of simultaneous fetches. */
export interface Parallel {
  readonly total: number;
  readonly perHost: number;
}

export interface GuardedFetchSettings {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => Millis;
  /** CIDRs of addresses that are allowed although they are not public. To loopback addresses, http is allowed, too. */
  readonly alsoAllowed?: readonly string[];
  /** Absent: `MAX_PARALLEL`, `MAX_PARALLEL_PER_HOST`. */
  readonly parallel?: Parallel;
  /** The longest time for one fetch, waiting included. Absent: `FETCH_TIMEOUT`. */
  readonly timeout?: Millis;
  /** How long a host that failed several times is not asked. Absent: a minute. */
  readonly leftAlone?: Millis;
  /** Resolves a host name to addresses. Absent: the system's resolver. */
  readonly lookup?: typeof dnsLookup;
}

class Refused extends Error {}
class BadAnswer extends Error {}

/**
 * Fetches documents by GET, and posts forms: only https, no redirects, no cookies, no proxy, no compressed body, a bounded body, 5 s in
 * total. It allows only public addresses, and those that the operator names, and checks them when it connects, so that a name can't change its address
 * after the check. All outcomes are values.
 */
export class GuardedFetcher {
  readonly #settings: GuardedFetchSettings;
  readonly #alsoAllowed: AddressRanges;
  readonly #parallel: Parallel;
  readonly #running = new Map<string, number>();
  #total = 0;
  #waiting: { readonly host: string; readonly start: () => void }[] = [];
  readonly #failures = new LRUCache<string, { count: number; at: Millis }>({ max: 1_000 });

  constructor(settings: GuardedFetchSettings) {
    this.#settings = settings;
    this.#alsoAllowed = rangesOf(settings.alsoAllowed ?? []);
    this.#parallel = settings.parallel ?? { total: MAX_PARALLEL, perHost: MAX_PARALLEL_PER_HOST };
  }

  /** Fetches in progress. */
  get running(): number {
    return this.#total;
  }

  fetch(uri: string, { maxBytes = MAX_DOCUMENT, accept = "*/*", form }: FetchOptions = {}): Promise<Fetched> {
    const sent = {
      method: form === undefined ? "GET" : "POST",
      headers: { accept, "user-agent": "assent", ...(form === undefined ? {} : FORM) },
      body: form,
    };
    return this.#within(uri, sent, (...parts) =>
      form === undefined ? readBody(Math.min(maxBytes, MAX_DOCUMENT), ...parts) : readStatus(...parts),
    );
  }

  /** Sends a request. Any status is an answer, also a redirect, which is not followed. */
  ask(uri: string, { method, headers, body, maxBytes = MAX_DOCUMENT, cut = false }: Asked): Promise<Answered> {
    return this.#within(uri, { method, headers, body }, (...parts) =>
      readAnswer(Math.min(maxBytes, MAX_DOCUMENT), cut ? readBeginning : readBytes, ...parts),
    );
  }

  async #within<T>(uri: string, sent: Sent, read: Read<T>): Promise<T | Extract<Fetched, { kind: "failed" }>> {
    const url = this.#allowed(uri);
    if (typeof url === "string") return failed("refused", url);
    const { host } = url;
    const past = this.#failures.get(host);
    const { now, leftAlone = LEFT_ALONE, timeout = FETCH_TIMEOUT } = this.#settings;
    if (past !== undefined && past.count >= FAILURES_IN_A_ROW && now() - past.at < leftAlone) {
      return failed("left_alone", host);
    }
    const deadline = AbortSignal.timeout(timeout);
    const turn = await this.#turn(host, deadline);
    if (turn !== "yours") return failed(turn, "while waiting for a turn");
    try {
      const fetched = await this.#send(url, sent, read, deadline);
      this.#failures.delete(host);
      return fetched;
    } catch (error) {
      const fault = faultOf(error, deadline);
      // A bad answer doesn't count as a failure: the host doesn't delay others, and may have good documents at other
      // paths.
      if (fault !== "timeout" && fault !== "unreachable") this.#failures.delete(host);
      else this.#failures.set(host, { count: (this.#failures.get(host)?.count ?? 0) + 1, at: this.#settings.now() });
      return failed(fault, error instanceof Error ? error.message : String(error));
    } finally {
      this.#end(host);
    }
  }

  /**
   * The parsed URL, or the reason why it is not allowed. The parser turns every form of an IPv4 address into the usual
   * one.
   */
  #allowed(uri: string): URL | string {
    if (uri.length > 2048 || !URL.canParse(uri)) return "not a URL";
    const url = new URL(uri);
    if (url.protocol !== "https:" && !(url.protocol === "http:" && this.#alsoAllowed.any))
      return `${url.protocol} is not https`;
    if (url.username !== "" || url.password !== "") return "it has user information";
    const literal = url.hostname.replace(/^\[|\]$/g, "");
    // A literal address needs no resolver, so check it here.
    if (isIP(literal) !== 0 && !this.#mayAsk(literal, url.protocol)) return `${literal} is not a public address`;
    return url;
  }

  #mayAsk(address: string, protocol: string): boolean {
    if (protocol !== "https:") return isLoopbackAddress(address) && this.#alsoAllowed.has(address);
    return isPublicAddress(address) || this.#alsoAllowed.has(address);
  }

  #turn(host: string, deadline: AbortSignal): Promise<"yours" | "busy" | "timeout"> {
    if (this.#isFree(host)) {
      this.#begin(host);
      return Promise.resolve("yours");
    }
    if (this.#waiting.length >= MAX_WAITING) return Promise.resolve("busy");
    return new Promise((resolve) => {
      const entry = {
        host,
        start: () => {
          deadline.removeEventListener("abort", give);
          this.#begin(host);
          resolve("yours");
        },
      };
      const give = () => {
        this.#waiting = this.#waiting.filter((one) => one !== entry);
        resolve("timeout");
      };
      deadline.addEventListener("abort", give, { once: true });
      this.#waiting.push(entry);
    });
  }

  #isFree(host: string): boolean {
    return this.#total < this.#parallel.total && (this.#running.get(host) ?? 0) < this.#parallel.perHost;
  }

  #begin(host: string): void {
    this.#total += 1;
    this.#running.set(host, (this.#running.get(host) ?? 0) + 1);
  }

  #end(host: string): void {
    this.#total -= 1;
    const left = (this.#running.get(host) ?? 1) - 1;
    if (left === 0) this.#running.delete(host);
    else this.#running.set(host, left);
    const next = this.#waiting.findIndex((one) => this.#isFree(one.host));
    const [entry] = next === -1 ? [] : this.#waiting.splice(next, 1);
    entry?.start();
  }

  #send<T>(url: URL, { method, headers, body }: Sent, read: Read<T>, deadline: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const { request: send } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
      const request = send(url, {
        // Each fetch has its own connection, so that no connection is used for another purpose later.
        agent: false,
        method,
        lookup: this.#lookup(url.protocol),
        headers: { ...headers, "accept-encoding": "identity", ...length },
        maxHeaderSize: 16_384,
        signal: deadline,
      });
      request.on("error", reject);
      request.on("response", (response) => {
        // After the check of the name, check the real address of the connection, too.
        if (!this.#mayAsk(response.socket.remoteAddress ?? "", url.protocol)) {
          request.destroy();
          reject(new Refused("the connection led to an address that is not public"));
          return;
        }
        read(request, response).then(resolve, reject);
      });
      request.end(body);
    });
  }

  /**
   * Resolves a name. It returns nothing if one of the addresses is not public, because an honest name has only public
   * ones.
   */
  #lookup(protocol: string): LookupFunction {
    const resolve = this.#settings.lookup ?? dnsLookup;
    return (hostname, options, callback) => {
      resolve(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
        const [first] = found ?? [];
        if (error !== null || first === undefined) {
          callback(error ?? new Refused("the name has no address"), "", 4);
        } else if (!found.every(({ address }) => this.#mayAsk(address, protocol))) {
          callback(new Refused("the name leads to an address that is not public"), "", 4);
        } else if (options.all === true) {
          callback(null, found);
        } else {
          callback(null, first.address, first.family);
        }
      });
    };
  }
}

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Reads an answer, and ends its connection. */
type Read<T> = (request: ClientRequest, response: IncomingMessage) => Promise<T>;

const FORM = { "content-type": "application/x-www-form-urlencoded" };

async function readStatus(request: ClientRequest, { statusCode = 0 }: IncomingMessage): Promise<Fetched> {
  request.destroy();
  if (statusCode < 200 || statusCode > 299) throw new BadAnswer(`status ${statusCode}`);
  return { kind: "fetched", body: Buffer.alloc(0), type: "", maxAge: null };
}

async function readBody(maxBytes: number, request: ClientRequest, response: IncomingMessage): Promise<Fetched> {
  const { statusCode, headers } = response;
  if (statusCode !== 200) {
    request.destroy();
    throw new BadAnswer(`status ${statusCode}`);
  }
  const body = await readBytes(maxBytes, request, response);
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return { kind: "fetched", body, type, maxAge: maxAgeOf(headers["cache-control"]) };
}

async function readAnswer(
  maxBytes: number,
  read: typeof readBytes,
  request: ClientRequest,
  response: IncomingMessage,
): Promise<Answered> {
  const { statusCode: status = 0, headers } = response;
  return { kind: "answered", status, headers, body: await read(maxBytes, request, response) };
}

/** Never fails: the status is known, and of the body only the beginning is of use. */
async function readBeginning(maxBytes: number, request: ClientRequest, response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    if ((response.headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") return Buffer.alloc(0);
    let size = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxBytes) break;
    }
  } catch {
    // The connection broke, or the time is over.
  } finally {
    request.destroy();
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

async function readBytes(maxBytes: number, request: ClientRequest, response: IncomingMessage): Promise<Buffer> {
  try {
    const { headers } = response;
    if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity")
      throw new BadAnswer("an encoded body");
    if (Number(headers["content-length"] ?? 0) > maxBytes) throw new BadAnswer(`more than ${maxBytes} bytes`);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new BadAnswer(`more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    request.destroy();
  }
}

/** Seconds; null: the response doesn't say. */
function maxAgeOf(cacheControl: string | undefined): number | null {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl ?? "")) return 0;
  const seconds = /\bmax-age=(\d{1,9})\b/i.exec(cacheControl ?? "")?.[1];
  return seconds === undefined ? null : Number(seconds);
}

function faultOf(error: unknown, deadline: AbortSignal): FetchFault {
  if (error instanceof Refused) return "refused";
  if (error instanceof BadAnswer) return "bad_answer";
  return deadline.aborted ? "timeout" : "unreachable";
}

function failed(fault: FetchFault, detail: string): Extract<Fetched, { kind: "failed" }> {
  return { kind: "failed", fault, detail };
}
