/** The guarded fetcher: the one way in which this server asks an address that somebody else wrote down (RFC 7591 §5, RFC 9700 §4.9). */

import { lookup as dnsLookup, type LookupAddress } from "node:dns";
import type { ClientRequest, IncomingMessage } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { LRUCache } from "lru-cache";
import type { Millis } from "../oauth/model.ts";
import { isLoopbackAddress, isPublicAddress } from "./public-address.ts";

/** How long one fetch may take in all, its wait for a turn included. */
export const FETCH_TIMEOUT: Millis = 5_000;
/** Fetches at a time, of all and of one host: a host that keeps its callers waiting holds up itself alone. */
export const MAX_PARALLEL = 8;
export const MAX_PARALLEL_PER_HOST = 2;
/** Bytes of a document, unless the caller wants fewer. */
export const MAX_DOCUMENT = 1_048_576;
/** After this many failures in a row a host is left alone for a while. */
const FAILURES_IN_A_ROW = 4;
const LEFT_ALONE: Millis = 60_000;
const MAX_WAITING = 200;

/**
 * `refused`: nothing was sent, the address is not one to ask. `busy`: too many wait already. `left_alone`: the host failed several times just before.
 * `bad_answer`: another status than 200, a redirect, an encoded or too long body.
 */
export type FetchFault = "refused" | "busy" | "left_alone" | "timeout" | "unreachable" | "bad_answer";

export type Fetched =
  | { readonly kind: "fetched"; readonly body: Buffer; readonly type: string; readonly maxAge: number | null }
  /** `detail` is for the log alone. */
  | { readonly kind: "failed"; readonly fault: FetchFault; readonly detail: string };

export interface FetchOptions {
  /** Bytes; at most `MAX_DOCUMENT`. */
  readonly maxBytes?: number;
  /** The Accept header. */
  readonly accept?: string;
}

export interface GuardedFetchSettings {
  /** A clock that nobody sets, in milliseconds. */
  readonly now: () => Millis;
  /** For tests and demos on one machine: http and https to a loopback address are allowed, too. Never on a server that others reach. */
  readonly dangerouslyAllowLoopbackAddresses?: boolean;
  /** Names to addresses; absent: the system's. */
  readonly lookup?: typeof dnsLookup;
}

class Refused extends Error {}
class BadAnswer extends Error {}

/**
 * Fetches documents by GET: https alone, no redirects, no cookies, no proxy, public addresses alone (checked as the connection is made, so that a name
 * can't change its mind in between), 5 s in all, a bounded body that is not compressed. All outcomes are values.
 */
export class GuardedFetcher {
  readonly #settings: GuardedFetchSettings;
  readonly #running = new Map<string, number>();
  #total = 0;
  #waiting: { readonly host: string; readonly start: () => void }[] = [];
  readonly #failures = new LRUCache<string, { count: number; at: Millis }>({ max: 1_000 });

  constructor(settings: GuardedFetchSettings) {
    this.#settings = settings;
  }

  /** Fetches under way. */
  get running(): number {
    return this.#total;
  }

  async fetch(uri: string, { maxBytes = MAX_DOCUMENT, accept = "*/*" }: FetchOptions = {}): Promise<Fetched> {
    const url = this.#allowed(uri);
    if (typeof url === "string") return failed("refused", url);
    const { host } = url;
    const past = this.#failures.get(host);
    if (past !== undefined && past.count >= FAILURES_IN_A_ROW && this.#settings.now() - past.at < LEFT_ALONE) {
      return failed("left_alone", host);
    }
    const deadline = AbortSignal.timeout(FETCH_TIMEOUT);
    const turn = await this.#turn(host, deadline);
    if (turn !== "yours") return failed(turn, "while waiting for a turn");
    try {
      const fetched = await this.#get(url, Math.min(maxBytes, MAX_DOCUMENT), accept, deadline);
      this.#failures.delete(host);
      return fetched;
    } catch (error) {
      const fault = faultOf(error, deadline);
      // A host that answers, if only badly, holds nobody up; others may have good documents there.
      if (fault !== "timeout" && fault !== "unreachable") this.#failures.delete(host);
      else this.#failures.set(host, { count: (this.#failures.get(host)?.count ?? 0) + 1, at: this.#settings.now() });
      return failed(fault, error instanceof Error ? error.message : String(error));
    } finally {
      this.#end(host);
    }
  }

  /** The parsed address, or why it may not be asked. The parser turns every way to write an IPv4 address into the plain one. */
  #allowed(uri: string): URL | string {
    if (uri.length > 2048 || !URL.canParse(uri)) return "not a URL";
    const url = new URL(uri);
    const local = this.#settings.dangerouslyAllowLoopbackAddresses === true;
    if (url.protocol !== "https:" && !(local && url.protocol === "http:")) return `${url.protocol} is not https`;
    if (url.username !== "" || url.password !== "") return "it has user information";
    const literal = url.hostname.replace(/^\[|\]$/g, "");
    // A connection to a literal address asks no resolver, so it is judged here.
    if (isIP(literal) !== 0 && !this.#mayAsk(literal, url.protocol)) return `${literal} is not a public address`;
    return url;
  }

  #mayAsk(address: string, protocol: string): boolean {
    if (this.#settings.dangerouslyAllowLoopbackAddresses === true && isLoopbackAddress(address)) return true;
    return protocol === "https:" && isPublicAddress(address);
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
    return this.#total < MAX_PARALLEL && (this.#running.get(host) ?? 0) < MAX_PARALLEL_PER_HOST;
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

  #get(url: URL, maxBytes: number, accept: string, deadline: AbortSignal): Promise<Fetched> {
    return new Promise((resolve, reject) => {
      const { request: send } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
      const request = send(url, {
        // A connection of its own: none is kept, so none can be turned to another use.
        agent: false,
        lookup: this.#lookup(url.protocol),
        headers: { accept, "accept-encoding": "identity", "user-agent": "assent" },
        maxHeaderSize: 16_384,
        signal: deadline,
      });
      request.on("error", reject);
      request.on("response", (response) => {
        readBody(request, response, maxBytes, (address) => this.#mayAsk(address, url.protocol)).then(resolve, reject);
      });
      request.end();
    });
  }

  /** Resolves as ever, and gives nothing where one of the addresses isn't public: such a name isn't an honest one. */
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

async function readBody(
  request: ClientRequest,
  response: IncomingMessage,
  maxBytes: number,
  mayAsk: (address: string) => boolean,
): Promise<Fetched> {
  try {
    // Behind the check of the name: whoever is at the other end in fact.
    if (!mayAsk(response.socket.remoteAddress ?? ""))
      throw new Refused("the connection led to an address that is not public");
    const { statusCode, headers } = response;
    if (statusCode !== 200) throw new BadAnswer(`status ${statusCode}`);
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
    const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
    return { kind: "fetched", body: Buffer.concat(chunks), type, maxAge: maxAgeOf(headers["cache-control"]) };
  } finally {
    request.destroy();
  }
}

/** Seconds; null: the answer doesn't say. */
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

function failed(fault: FetchFault, detail: string): Fetched {
  return { kind: "failed", fault, detail };
}
