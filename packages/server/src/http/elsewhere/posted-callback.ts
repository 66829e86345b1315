/**
 * A callback that comes as a form from a page of the provider (OAuth 2.0 Form Post Response Mode §2), as Apple's does. The
 * browser sends no SameSite=Lax cookie with it, so it is sent on to the usual callback, where the cookie comes along.
 */

import { hashes } from "../../crypto/node-hashes.ts";
import { seal, unseal } from "../../crypto/seal.ts";
import { refuse } from "../../oauth/errors.ts";
import { presetOf } from "../../owners/identities/provider-presets.ts";
import type { UpstreamIdentity } from "../../owners/identities/upstream-identity.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { type Answer, formOf, type HttpRequest, redirect } from "../http-message.ts";
import { activeProvider } from "./begin.ts";
import { MAX_STATE } from "./state.ts";

/** Characters of each other value, and of a name. */
const MAX_VALUE = 2_048;
const MAX_NAME = 120;
const MAX_SEALED = 1_024;
const PURPOSE = "name of somebody elsewhere";

/** Nothing is believed here, and nothing is stored: the callback checks all of it. */
export async function receivePostedCallback(http: HttpRequest, tools: FlowTools): Promise<Answer> {
  const id = http.params["provider"] ?? "";
  const provider = await activeProvider(id, tools);
  if (provider === undefined || presetOf(provider)?.formPost !== true)
    refuse("method_not_allowed", "no form_post here");
  const form = formOf(http);
  const query = new URLSearchParams();
  for (const name of ["code", "error", "iss", "state"]) {
    const value = form.get(name);
    if (value !== null && value.length <= (name === "state" ? MAX_STATE : MAX_VALUE)) query.set(name, value);
  }
  const called = nameIn(form.get("user"));
  if (called !== undefined) query.set("user", sealName(called, query.get("state") ?? "", tools));
  return redirect(303, `${tools.issuer}/login/provider/${id}/callback?${query}`, []);
}

type Called = readonly [given: string | null, family: string | null];

/** Apple sends the name with the first sign-in only, and does not sign it. Undefined: none. */
function nameIn(user: string | null): Called | undefined {
  if (user === null || user.length > MAX_VALUE) return undefined;
  try {
    const { name } = JSON.parse(user) as { name?: { firstName?: unknown; lastName?: unknown } };
    const [given, family] = [name?.firstName, name?.lastName].map((part) =>
      typeof part === "string" && part.trim() !== "" && part.length <= MAX_NAME ? part.trim() : null,
    );
    return given == null && family == null ? undefined : [given ?? null, family ?? null];
  } catch {
    return undefined;
  }
}

/** Names don't stand in addresses in plain text. The name counts for this state alone. */
function sealName(called: Called, state: string, { secrets }: Pick<FlowTools, "secrets">): string {
  const plain = Buffer.from(JSON.stringify(called));
  return Buffer.from(seal(secrets, PURPOSE, hashes.sha256(state), plain)).toString("base64url");
}

/** The identity with the name that came with the callback, if its provider's tokens have none. */
export function withPostedName(
  identity: UpstreamIdentity,
  query: URLSearchParams,
  { secrets }: Pick<FlowTools, "secrets">,
): UpstreamIdentity {
  const sealed = query.get("user");
  if (sealed === null || sealed.length > MAX_SEALED || identity.name !== null) return identity;
  const plain = unseal(secrets, PURPOSE, hashes.sha256(query.get("state") ?? ""), Buffer.from(sealed, "base64url"));
  if (plain === undefined) return identity;
  const [givenName, familyName] = JSON.parse(plain.toString()) as Called;
  const details = { ...(givenName && { givenName }), ...(familyName && { familyName }) };
  const name = [givenName, familyName].filter((part) => part !== null).join(" ");
  return { ...identity, name, details: { ...details, ...identity.details } };
}
