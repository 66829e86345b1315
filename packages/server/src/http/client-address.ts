/** Who is at the other end: the peer, or whom a trusted proxy names (RFC 7239; X-Forwarded-For). */

import { BlockList, isIP } from "node:net";

export interface Forwarded {
  readonly address: string;
  /** What a trusted proxy says of the scheme; undefined: nothing. */
  readonly proto: string | undefined;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Reads forwarded headers only from the CIDRs given. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #any: boolean;

  constructor(cidrs: readonly string[]) {
    this.#any = cidrs.length > 0;
    for (const cidr of cidrs) {
      const [address = "", bits] = cidr.split("/");
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      if (bits === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(bits), family);
    }
  }

  /** `peer`: the socket's address. True: what it says of the client is believed. */
  trusts(peer: string): boolean {
    return this.#any && this.#trusts(plainAddress(peer));
  }

  /** `peer`: the socket's address. */
  resolve(peer: string, headers: Headers): Forwarded {
    const address = plainAddress(peer);
    if (!this.#any || !this.#trusts(address)) return { address, proto: undefined };
    const { chains, proto } = readForwarded(headers);
    const [client, ...others] = chains.map((chain) => this.#clientOf(chain));
    // Two headers that name two clients: a proxy wrote one and passed the other on as it came. Which is which can't be told, so neither counts.
    return { address: client === undefined || others.some((other) => other !== client) ? address : client, proto };
  }

  /**
   * From the nearest hop outwards: the first that isn't a proxy of ours is the client; what stands before it anyone can write. Undefined: that
   * hop is no address (RFC 7239 §6 allows `unknown` and `_names`).
   */
  #clientOf(chain: readonly string[]): string | undefined {
    const client = chain.toReversed().find((hop) => !this.#trusts(hop)) ?? chain[0] ?? "";
    return isIP(client) === 0 ? undefined : client;
  }

  #trusts(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, family === 6 ? "ipv6" : "ipv4");
  }
}

/** The hops that each header names, and the scheme: http if either says so. */
function readForwarded(headers: Headers): { chains: string[][]; proto: string | undefined } {
  const forwarded = one(headers["forwarded"]);
  const hops = forwarded?.split(",").map((hop) => new Map(hop.split(";").map((pair) => splitPair(pair))));
  const chains = [hops?.map((hop) => hop.get("for") ?? ""), one(headers["x-forwarded-for"])?.split(",")].flatMap(
    (chain) => (chain === undefined ? [] : [chain.map(plainAddress)]),
  );
  const protos = [hops?.at(-1)?.get("proto"), one(headers["x-forwarded-proto"])?.split(",").at(-1)]
    .map((proto) => proto?.trim().toLowerCase())
    .filter((proto) => proto !== undefined);
  return { chains, proto: protos.includes("http") ? "http" : protos[0] };
}

function splitPair(pair: string): [string, string] {
  const [name = "", value = ""] = pair.split("=", 2);
  return [name.trim().toLowerCase(), value.trim().replace(/^"|"$/g, "")];
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(",") : value;
}

/** Without brackets, port and zone; IPv4 written inside IPv6 is IPv4. */
export function plainAddress(address: string): string {
  if (isIP(address) === 4) return address;
  const bare = address
    .trim()
    .replace(/^\[([^\]]*)\](:\d+)?$/, "$1")
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1")
    .replace(/%.*$/, "");
  return bare.replace(/^::ffff:(\d+\.\d+\.\d+\.\d+)$/i, "$1");
}

/** What owners are shown of where an app was used from: the /24 of an IPv4 address, the /48 of an IPv6 one. */
export function coarseNetworkOf(address: string): string {
  if (isIP(address) === 4) return `${address.slice(0, address.lastIndexOf("."))}.0/24`;
  return networkOf(address).replace(/^([^:]*:[^:]*:[^:]*):[^:]*::\/64$/, "$1::/48");
}

/** What wider limits count: the /48 of an IPv6 address, of which one customer may have all. Undefined: an IPv4 address, whose neighbours are other customers. */
export function wideNetworkOf(address: string): string | undefined {
  return isIP(address) === 6 ? coarseNetworkOf(address) : undefined;
}

/** What limits count: an IPv4 address, or the /64 of an IPv6 one, which is what one customer gets. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups =
    tail === undefined
      ? left
      : [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0"), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}

/** About where an address is, without saying which it is: `203.0.113.x`, or the first 48 bits of an IPv6 one. Null: it is no address. */
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
