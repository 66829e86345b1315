/** How pages show a client, its scopes and a person. */

import { COMMAND_CLIENT } from "../../admin/api-access/admin-scopes.ts";
import type { AuthorizationRequest } from "../../oauth/authorization-endpoint/request.ts";
import type { Client, Consent } from "../../oauth/model.ts";
import { redirectHost } from "../../oauth/redirect-uri.ts";
import { picturePath } from "../../owners/account/picture-address.ts";
import type { Person } from "../../owners/person.ts";
import { translated } from "../../owners/scope-texts.ts";
import type { ClientCard, SignedInAs } from "../../pages/views.ts";

/** The client of a request, with the host that really gets the response. */
export function clientCard(
  { client, redirectUri }: Pick<AuthorizationRequest, "client" | "redirectUri">,
  language: string,
): ClientCard {
  return { ...cardOf(client, language), host: redirectHost(redirectUri) };
}

/** The client of a device: no host gets a response. */
export function deviceCard(client: Client, language: string): ClientCard {
  return cardOf(client, language);
}

function cardOf(client: Client, language: string): ClientCard {
  return {
    name: nameOf(client, language),
    logo: logoPath(client),
    host: null,
    policyUri: client.policyUri,
    tosUri: client.tosUri,
    document: client.document === undefined ? null : redirectHost(client.clientId),
    registeredItself: client.registered !== undefined && client.reviewed === false,
    verified: client.verified ?? false,
    isCommand: client.clientId === COMMAND_CLIENT,
    publisher: client.publisher ?? null,
    since: client.document === undefined ? client.createdAt : null,
    people: null,
  };
}

/** The client's name in the language of the page, if it has one. */
export function nameOf({ name, names }: Pick<Client, "name" | "names">, language: string): string {
  return translated(names, language) ?? name;
}

/** The name under which the owner allowed a client that has another one now. Null: the client has the same name. */
export function formerNameOf({ shown }: Pick<Consent, "shown">, client: Client | undefined): string | null {
  if (client === undefined || [client.name, ...Object.values(client.names ?? {})].includes(shown.clientName))
    return null;
  return shown.clientName;
}

export function logoPath({ logo }: Pick<Client, "logo">): string | null {
  return logo === null ? null : `/logos/${logo}`;
}

export function signedInAs(person: Person): SignedInAs {
  const { name, username, pictureId, deleteAt = null } = person;
  return { name: name ?? username, username, picture: pictureId == null ? null : picturePath(pictureId), deleteAt };
}
