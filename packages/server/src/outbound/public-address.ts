/**
 * The addresses to which this server may send requests that others asked for: only public ones (RFC 6890; IANA's
 * special-purpose registries).
 */

import { BlockList, isIP } from "node:net";

/** IPv4: the ranges that are not public. */
const SPECIAL_V4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const;

/**
 * IPv6: only 2000::/3 is public, without these ranges. They are reserved, or contain an IPv4 address that would need
 * its own check.
 */
const SPECIAL_V6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
] as const;

const special = new BlockList();
for (const [net, bits] of SPECIAL_V4) special.addSubnet(net, bits, "ipv4");
for (const [net, bits] of SPECIAL_V6) special.addSubnet(net, bits, "ipv6");
const globalV6 = new BlockList();
globalV6.addSubnet("2000::", 3, "ipv6");

/**
 * False also for a text that is no address. IPv4 inside IPv6 (`::ffff:`, NAT64) is not public: a host can give its IPv4
 * address directly.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, "ipv4");
    case 6:
      return globalV6.check(address, "ipv6") && !special.check(address, "ipv6");
    default:
      return false;
  }
}

export function isLoopbackAddress(address: string): boolean {
  return address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
}

/** Addresses in any of some CIDRs. */
export interface AddressRanges {
  /** False: no address is in them. */
  readonly any: boolean;
  has(address: string): boolean;
}

export function rangesOf(cidrs: readonly string[]): AddressRanges {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = "", bits] = cidr.split("/");
    const family = familyOf(address);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return { any: cidrs.length > 0, has: (address) => isIP(address) !== 0 && list.check(address, familyOf(address)) };
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
