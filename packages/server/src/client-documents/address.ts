/** Which addresses can be a `client_id` (draft-ietf-oauth-client-id-metadata-document-02 §3). */

/** In characters. The address is a key of the database, and part of every token. */
const LONGEST = 255;

export interface AddressRules {
  /** Hosts whose documents the server accepts. Null: all. */
  readonly hosts: readonly string[] | null;
  /** True: the operator lets the server send requests to this machine, so http is allowed for loopback hosts. */
  readonly loopback: boolean;
}

/** True: the text means an address of a document. Ids that this server makes never do. */
export function isAddress(clientId: string): boolean {
  return clientId.includes("://");
}

/** Why the server doesn't fetch a document from there. Undefined: it does. */
export function addressProblem(clientId: string, { hosts, loopback }: AddressRules): string | undefined {
  if (clientId.length > LONGEST) return `an address has at most ${LONGEST} characters`;
  const url = URL.canParse(clientId) ? new URL(clientId) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return "not an https URL";
  // Without a path, with dot segments, an upper-case or Unicode host, or the usual port, the parser writes it otherwise.
  if (url.href !== clientId) return `not in canonical form, which is ${url.href.slice(0, LONGEST)}`;
  if (clientId.includes("#")) return "it has a fragment";
  if (url.username !== "" || url.password !== "") return "it has user information";
  if (url.hostname.endsWith(".")) return "its host ends with a dot";
  const here = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === "http:" && !(here && loopback)) return "http is allowed only on this machine";
  if (hosts !== null && !hosts.includes(url.host)) return `${url.host} is not one of ASSENT_CLIENT_ID_METADATA`;
  return undefined;
}
