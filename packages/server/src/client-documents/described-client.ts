/** The client record that a document makes (draft-ietf-oauth-client-id-metadata-document-02 §4). Pure functions. */

import { appearanceOf } from "../crypto/client-appearance.ts";
import type { DescribedClient } from "../oauth/client-registration/client-id-metadata-document.ts";
import { aStranger, aStrangerAgain } from "../oauth/client-registration/unknown-client.ts";
import type { Client, Millis, Scope } from "../oauth/model.ts";
import { consentHost, consentHosts } from "../oauth/redirect-uri.ts";

/** The record of a client that is new, or that was here `before`: the operator's own settings stay. */
export function clientOf(address: string, described: DescribedClient, before: Client | undefined, now: Millis): Client {
  const { fields, scope, logoUri } = described;
  const appearance = appearanceOf(fields, logoUri);
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
    ...(judged ? {} : { logo: null, ...aStrangerAgain(before, null) }),
    scopes: before.scopes,
    reducedAt: lost ? now : before.reducedAt,
    updatedAt: now,
    document,
  };
}

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
