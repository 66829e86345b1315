/** Whom a password hash is made for: by that the hashing decides who is next. */

export interface HashFor {
  /** The /24 of an IPv4 address, the /32 of an IPv6 one. */
  readonly allocation: string;
  /** The /24 of an IPv4 address, the /48 of an IPv6 one. */
  readonly provider: string;
  /** The IPv4 address, or the /64 of an IPv6 one. */
  readonly network: string;
  /** The person's id on a known device; elsewhere the name as it was typed, whether anybody has it or not: the line must not tell. */
  readonly account: string;
  /** The browser is one of that person's own. */
  readonly known: boolean;
}
