/** What an operator's change of a client that registered itself means for its registration. */

import { appearanceOf } from "../crypto/client-appearance.ts";
import type { Client } from "../oauth/model.ts";

/** An operator's decision limits what a client can register for later. A new name is a new appearance. */
export function selfRegistration(
  { registered, logo, scopes, grantTypes }: Client,
  fields: Pick<Client, "name" | "names" | "scopes" | "grantTypes">,
): Pick<Client, "registered"> {
  if (registered === undefined) return {};
  const same = String(scopes) === String(fields.scopes) && String(grantTypes) === String(fields.grantTypes);
  const ceiling = same ? registered.ceiling : { scopes: fields.scopes, grantTypes: fields.grantTypes };
  return { registered: { ...registered, ceiling, appearance: appearanceOf(fields, logo) } };
}

/** What an operator has relaxed for a client that describes itself, and that nobody has reviewed now. */
export function unreviewedWeaknesses(client: Client): readonly string[] {
  const { document, registered, reviewed, type } = client;
  if (reviewed !== false || (document === undefined && registered === undefined)) return [];
  return [
    ...(type === "confidential" && !client.requirePkce ? ["requests without PKCE"] : []),
    ...(client.allowPlainPkce ? ["plain PKCE challenges"] : []),
    ...(client.tokenEndpointAudience ? ["assertions for the token endpoint"] : []),
    ...(client.consentCeiling === "none" ? ["consents without an end"] : []),
  ];
}
