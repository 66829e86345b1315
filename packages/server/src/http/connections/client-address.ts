/** The address of the client: the peer, or the one that a trusted proxy names (RFC 7239; X-Forwarded-For). */

import { BlockList, isIP } from "node:net";

export interface Forwarded {
  readonly address: string;
  /** The scheme that a trusted proxy names. Undefined: none. */
  readonly proto: string | undefined;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The header that names the client. A proxy sets one of them and may pass the other on as the client sent it, so the
 * server never reads the other.
 */
export type ProxyHeader = "x-forwarded-for" | "forwarded";

/** Reads one forwarded header, and only from these CIDRs. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #any: boolean;
  readonly #header: ProxyHeader;
  #otherAlone: ((other: ProxyHeader) => void) | undefined;

  /** `otherAlone`: called once, when a trusted proxy sends only the header that the server does not read. */
  constructor(
    cidrs: readonly string[],
    header: ProxyHeader = "x-forwarded-for",
    otherAlone?: (other: ProxyHeader) => void,
  ) {
    this.#any = cidrs.length > 0;
    this.#header = header;
    this.#otherAlone = otherAlone;
    for (const cidr of cidrs) {
      const [address = "", bits] = cidr.split("/");
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      if (bits === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(bits), family);
    }
  }

  /** `peer`: the socket's address. True: the server believes what it says about the client. */
  trusts(peer: string): boolean {
    return this.#any && this.#trusts(plainAddress(peer));
  }

  /** `peer`: the socket's address. */
  resolve(peer: string, headers: Headers): Forwarded {
    const address = plainAddress(peer);
    if (!this.#any || !this.#trusts(address)) return { address, proto: undefined };
    if (headers[this.#header] === undefined) this.#lookAtOther(headers);
    const { hops, proto } = this.#header === "forwarded" ? readForwarded(headers) : readXForwarded(headers);
    return { address: this.#clientOf(hops) ?? address, proto: proto?.trim().toLowerCase() };
  }

  #lookAtOther(headers: Headers): void {
    const other = this.#header === "forwarded" ? "x-forwarded-for" : "forwarded";
    if (this.#otherAlone === undefined || headers[other] === undefined) return;
    this.#otherAlone(other);
    this.#otherAlone = undefined;
  }

  /**
   * From the nearest hop outwards: the first hop that is not a trusted proxy is the client, because anybody can write
   * the hops before it. Undefined: that hop is no address (RFC 7239 §6 allows `unknown` and `_names`). Reads no hop
   * beyond the client.
   */
  #clientOf(hops: Iterable<string>): string | undefined {
    let client = "";
    let read = 0;
    for (const hop of hops) {
      client = plainAddress(hop);
      read += 1;
      if (read === MAX_HOPS || !this.#trusts(client)) break;
    }
    return isIP(client) === 0 ? undefined : client;
  }

  #trusts(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, family === 6 ? "ipv6" : "ipv4");
  }
}

/**
 * Maximum number of trusted proxies on the way of a request. A longer list costs time, and only a client would write
 * one.
 */
const MAX_HOPS = 32;

/** The addresses in a header, the nearest first, and the scheme that the nearest proxy saw. */
interface Hops {
  readonly hops: Iterable<string>;
  readonly proto: string | undefined;
}

/** RFC 7239 §4. An element that names a parameter twice, or is malformed, names no address. */
function readForwarded(headers: Headers): Hops {
  const elements = splitOutsideQuotes(one(headers["forwarded"]) ?? "", ",");
  const nearest = parametersOf(elements.at(-1) ?? "");
  function* hops() {
    for (let at = elements.length - 1; at >= 0; at -= 1) yield parametersOf(elements[at] ?? "").get("for") ?? "";
  }
  return { hops: elements.length === 0 ? [] : hops(), proto: nearest.get("proto") };
}

/** The parameters of one element, by name in lower case. Empty: the element is malformed. */
function parametersOf(element: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of splitOutsideQuotes(element, ";")) {
    const [, name, token, quoted] =
      /^\s*([!#$%&'*+.^_`|~\w-]+)=(?:([^\s",;=]+)|"((?:[^"\\]|\\.)*)")\s*$/.exec(pair) ?? [];
    const key = name?.toLowerCase();
    if (key === undefined || parameters.has(key)) return new Map();
    parameters.set(key, token ?? quoted?.replace(/\\(.)/g, "$1") ?? "");
  }
  return parameters;
}

/**
 * Splits a text at separators outside of quoted strings (RFC 9110 §5.6.4). If a quote stays open, a client wrote it,
 * before the part of the proxy: then quotes have no meaning.
 */
function splitOutsideQuotes(text: string, separator: string): readonly string[] {
  if (text === "") return [];
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted && character === "\\") at += 1;
    else if (character === '"') quoted = !quoted;
    else if (character === separator && !quoted) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return quoted ? text.split(separator) : [...parts, text.slice(start)];
}

function readXForwarded(headers: Headers): Hops {
  const list = one(headers["x-forwarded-for"]);
  const protos = one(headers["x-forwarded-proto"]);
  return { hops: list === undefined ? [] : fromTheEnd(list), proto: protos?.slice(protos.lastIndexOf(",") + 1) };
}

/** The items of a list, the last one first, each read only on demand. */
function* fromTheEnd(list: string): Iterable<string> {
  let end = list.length;
  while (end >= 0) {
    const comma = end === 0 ? -1 : list.lastIndexOf(",", end - 1);
    yield list.slice(comma + 1, end);
    end = comma;
  }
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(",") : value;
}

/** IPv4 inside IPv6 (RFC 4291 §2.5.5.2), in any spelling: the first 80 bits are 0, the next 16 are 1. */
const MAPPED = new BlockList();
MAPPED.addSubnet("::ffff:0:0", 96, "ipv6");

/** The address without brackets, port and zone. IPv4 inside IPv6 becomes IPv4. */
export function plainAddress(address: string): string {
  if (isIP(address) === 4) return address;
  const bare = address
    .trim()
    .replace(/^\[([^\]]*)\](:\d+)?$/, "$1")
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1")
    .replace(/%.*$/, "");
  return isIP(bare) === 6 && MAPPED.check(bare, "ipv6") ? mappedIPv4(bare) : bare;
}

/** The last 32 bits are IPv4, or two groups; `::` may replace one or both groups. */
function mappedIPv4(address: string): string {
  const last = address.slice(address.lastIndexOf(":") + 1);
  if (last.includes(".")) return last;
  const [high = 0, low = 0] = groupsOf(address).slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The network of an app's use as owners see it: the /24 of an IPv4 address, the /48 of an IPv6 one. */
export function coarseNetworkOf(address: string): string {
  return isIP(address) === 4 ? `${address.slice(0, address.lastIndexOf("."))}.0/24` : prefixOf(address, 48);
}

/**
 * The block that a registry gives one provider: the /32 of an IPv6 address. For IPv4 it is the /24, because a larger
 * block belongs to many providers.
 */
function allocationOf(address: string): string {
  return isIP(address) === 4 ? coarseNetworkOf(address) : prefixOf(address, 32);
}

/** The network, as limits count it: an IPv4 address, or the /64 of an IPv6 one, which one customer gets. */
export function networkOf(address: string): string {
  return prefixOf(address, 64);
}

/** The first bits of an IPv6 address; any other address stays as it is. */
function prefixOf(address: string, bits: 32 | 48 | 64): string {
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address).slice(0, bits / 16);
  return `${groups.map((group) => group.toString(16)).join(":")}::/${bits}`;
}

/** The eight groups of an IPv6 address. Groups that it writes as IPv4 become 0. */
function groupsOf(address: string): readonly number[] {
  // The last 32 bits can be written as IPv4; they are two groups.
  const [head = "", tail] = address.replace(/[\d.]*\.\d+/, "0:0").split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups =
    tail === undefined
      ? left
      : [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0"), ...right];
  return groups.map((group) => Number.parseInt(group, 16));
}

/** An address with the networks that limits count. */
export interface Origin {
  /** As in `networkOf`. */
  readonly network: string;
  /** As in `coarseNetworkOf`. */
  readonly provider: string;
  /** The /24 of an IPv4 address, the /32 of an IPv6 one. */
  readonly allocation: string;
}

export function originOf(address: string): Origin {
  return { network: networkOf(address), provider: coarseNetworkOf(address), allocation: allocationOf(address) };
}

/** The approximate address: `203.0.113.x`, or the first 48 bits of an IPv6 one. Null: it is no address. */
export function coarse(address: string | null): string | null {
  const network = address === null ? "" : networkOf(address);
  if (isIP(network) === 4) return network.replace(/\.\d+$/, ".x");
  const groups = network.replace(/\/\d+$/, "").split(":");
  return network.includes(":")
    ? `${groups
        .slice(0, 3)
        .map((group) => group || "0")
        .join(":")}:…`
    : null;
}
