/** How a client and a person are shown on pages. */

import type { AuthorizationRequest } from "../../oauth/authorization-endpoint/request.ts";
import type { Client, Scope } from "../../oauth/model.ts";
import { redirectHost } from "../../oauth/redirect-uri.ts";
import type { Person } from "../../owners/storage.ts";
import type { ClientCard, SignedInAs } from "../../pages/views.ts";

/** The client of a request, with the host that really gets the answer. */
export function clientCard({ client, redirectUri }: Pick<AuthorizationRequest, "client" | "redirectUri">): ClientCard {
  return {
    name: client.name,
    logo: logoPath(client),
    host: redirectHost(redirectUri),
    policyUri: client.policyUri,
    tosUri: client.tosUri,
  };
}

/** The client of a device: nothing is sent to a host of it. */
export function deviceCard(client: Client): ClientCard {
  const { name, policyUri, tosUri } = client;
  return { name, logo: logoPath(client), host: null, policyUri, tosUri };
}

export function logoPath({ logo }: Pick<Client, "logo">): string | null {
  return logo === null ? null : `/logos/${logo}`;
}

/** What an owner reads about each scope, by its name. */
export function textsOf(scopes: readonly Scope[]): Readonly<Record<string, string>> {
  return Object.fromEntries(scopes.map(({ name, description }) => [name, description]));
}

export function signedInAs(person: Person): SignedInAs {
  return { name: person.name ?? person.username, username: person.username };
}
