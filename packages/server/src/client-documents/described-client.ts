/** The client record that a document makes (draft-ietf-oauth-client-id-metadata-document-02 §4). Pure functions. */

import { hash } from "node:crypto";
import type { DescribedClient } from "../oauth/client-registration/client-id-metadata-document.ts";
import type { Client, Millis, Scope } from "../oauth/model.ts";
import { consentHost, consentHosts } from "../oauth/redirect-uri.ts";

/**
 * The name and the logo, as far as the document decides them. It is the same only if the owner sees the same: its 132
 * bits are too many for a publisher who looks for two appearances with one fingerprint.
 */
function appearanceOf({ fields: { name, names }, logoUri }: DescribedClient): string {
  const texts = Object.entries(names ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return hash("sha256", JSON.stringify([name, texts, logoUri]), "base64url").slice(0, 22);
}

/** The record of a client that is new, or that was here `before`: the operator's own settings stay. */
export function clientOf(address: string, described: DescribedClient, before: Client | undefined, now: Millis): Client {
  const { fields, scope, logoUri } = described;
  const appearance = appearanceOf(described);
  const document = { checkedAt: now, appearance, logoUri, scope };
  if (before === undefined)
    return { ...aStranger, clientId: address, createdAt: now, updatedAt: now, ...fields, document };
  const same = before.document?.appearance === appearance;
  const known = consentHosts(before.redirectUris);
  // An operator judged this name, this logo and these hosts.
  const judged = same && consentHosts(fields.redirectUris).every((host) => known.includes(host));
  const lost = before.grantTypes.some((one) => !fields.grantTypes.includes(one));
  return {
    ...before,
    ...fields,
    ...(judged ? {} : { logo: null, verified: false, reviewed: false, firstParty: false, publisher: null }),
    scopes: before.scopes,
    reducedAt: lost ? now : before.reducedAt,
    updatedAt: now,
    document,
  };
}

const aStranger = {
  status: "active",
  ownScopes: [],
  secrets: [],
  sealedSecret: null,
  tokenEndpointAudience: false,
  requirePkce: true,
  allowPlainPkce: false,
  firstParty: false,
  publisher: null,
  accent: null,
  verified: false,
  reviewed: false,
  refresh: "rotate",
  logo: null,
  reducedAt: null,
} as const satisfies Partial<Client>;

/** The scopes that a client by document may ask for: those of the document, or all; never one that needs a role. */
export function withScopes(client: Client, known: ReadonlyMap<string, Scope>): Client {
  const named = client.document?.scope ?? null;
  const open = [...known.values()].filter(
    ({ name, ownerRole }) => ownerRole === null && (named?.includes(name) ?? true),
  );
  return { ...client, scopes: open.map(({ name }) => name) };
}

/** True: both records say the same, whenever the document was read. */
export function isSame(a: Client, b: Client): boolean {
  const content = ({ updatedAt: _, document, scopes: __, ...rest }: Client) =>
    JSON.stringify(sorted({ ...rest, document: { ...document, checkedAt: 0 } }));
  return content(a) === content(b);
}

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** With a list of hosts, the answers of a client go only there, to its own host, or to this device. */
export function redirectProblem(
  address: string,
  redirectUris: readonly string[],
  hosts: readonly string[] | null,
): string | undefined {
  if (hosts === null) return undefined;
  const stray = redirectUris.find(
    (uri) =>
      uri.startsWith("https://") && consentHost(uri) !== consentHost(address) && !hosts.includes(new URL(uri).host),
  );
  return stray === undefined ? undefined : `redirect_uris: ${stray.slice(0, 200)} is on a host that is not in the list`;
}
