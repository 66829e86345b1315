/** For whom a password is hashed. The queue of hashes uses this to choose the next one. */

export interface HashRequester {
  /** The /24 of an IPv4 address, or the /32 of an IPv6 one. */
  readonly allocation: string;
  /** The /24 of an IPv4 address, or the /48 of an IPv6 one. */
  readonly provider: string;
  /** The IPv4 address, or the /64 of an IPv6 one. */
  readonly network: string;
  /**
   * On a known device, the person's id; elsewhere the name as typed, whether or not somebody has it, because the queue
   * must not tell.
   */
  readonly account: string;
  /** True: the browser is one of that person's known devices. */
  readonly known: boolean;
}
