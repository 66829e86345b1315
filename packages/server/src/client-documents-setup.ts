/** Connects client ID metadata documents with the server. Loaded only where they are switched on. */

import { ClientDocuments, type DocumentParts } from "./client-documents/index.ts";
import type { Config } from "./config.ts";
import { FOR_PEOPLE, GuardedFetcher, LEFT_ALONE_BY_PEOPLE } from "./outbound/guarded-fetch.ts";

export function clientDocuments(
  { clientIdMetadata, outboundAllow }: Pick<Config, "clientIdMetadata" | "outboundAllow">,
  parts: Omit<DocumentParts, "fetcher" | "strangers" | "hosts" | "loopback">,
): ClientDocuments {
  const fetcher = () =>
    new GuardedFetcher({
      now: parts.monotonic,
      alsoAllowed: outboundAllow,
      // Few at a time: strangers choose the addresses.
      parallel: { total: FOR_PEOPLE.total, perHost: 4 },
      leftAlone: LEFT_ALONE_BY_PEOPLE,
    });
  return new ClientDocuments({
    ...parts,
    hosts: typeof clientIdMetadata === "string" ? null : clientIdMetadata,
    loopback: outboundAllow.length > 0,
    fetcher: fetcher(),
    strangers: fetcher(),
  });
}
