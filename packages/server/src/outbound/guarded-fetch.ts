/**
 * The guarded fetcher: the only code of this server that sends requests to addresses that others wrote (RFC 7591 §5,
 * RFC 9700 §4.9).
 */

import { lookup as dnsLookup, type LookupAddress } from "node:dns";
import type { ClientRequest, IncomingMessage } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { LRUCache } from "lru-cache";
import type { Millis } from "../oauth/model.ts";
import { isLoopbackAddress, isPublicAddress } from "./public-address.ts";

/** The longest time for one fetch, waiting included. */
export const FETCH_TIMEOUT: Millis = 5_000;
/** Maximum number of simultaneous fetches, in total and for one host. So a slow host delays only itself. */
export const MAX_PARALLEL = 8;
export const MAX_PARALLEL_PER_HOST = 2;
/** Maximum number of bytes of a document, unless the caller wants fewer. */
export const MAX_DOCUMENT = 1_048_576;
/** After this number of consecutive failures, the server doesn't ask the host for a while. */
const FAILURES_IN_A_ROW = 4;
const LEFT_ALONE: Millis = 60_000;
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
}

export interface GuardedFetchSettings {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => Millis;
  /**
   * For tests and demos on one machine: also allows http and https to loopback addresses. Never use it on a server that
   * others can reach.
   */
  readonly dangerouslyAllowLoopbackAddresses?: boolean;
  /** Resolves a host name to addresses. Absent: the system's resolver. */
  readonly lookup?: typeof dnsLookup;
}

class Refused extends Error {}
class BadAnswer extends Error {}

/**
 * Fetches documents by GET: only https, no redirects, no cookies, no proxy, no compressed body, a bounded body, 5 s in
 * total. It allows only public addresses and checks them when it connects, so that a name can't change its address
 * after the check. All outcomes are values.
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

  /** Fetches in progress. */
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
    const local = this.#settings.dangerouslyAllowLoopbackAddresses === true;
    if (url.protocol !== "https:" && !(local && url.protocol === "http:")) return `${url.protocol} is not https`;
    if (url.username !== "" || url.password !== "") return "it has user information";
    const literal = url.hostname.replace(/^\[|\]$/g, "");
    // A literal address needs no resolver, so check it here.
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
        // Each fetch has its own connection, so that no connection is used for another purpose later.
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

async function readBody(
  request: ClientRequest,
  response: IncomingMessage,
  maxBytes: number,
  mayAsk: (address: string) => boolean,
): Promise<Fetched> {
  try {
    // After the check of the name, check the real address of the connection, too.
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

function failed(fault: FetchFault, detail: string): Fetched {
  return { kind: "failed", fault, detail };
}
