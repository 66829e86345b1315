/** The address that another system knows of a person whose account here has none. */

import { askForNewEmail, type ProfileContext } from "../../owners/account/profile.ts";
import type { UpstreamIdentity } from "../../owners/identities/upstream-identity.ts";
import { newEmail } from "../../owners/new-username-and-email.ts";
import type { Person } from "../../owners/person.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import type { HttpRequest } from "../http-message.ts";

interface OfferTools extends FlowTools {
  readonly account: ProfileContext;
}

/** A new account without an address gets a link to the one that the provider knows. Its owner decides. */
export async function offerAddress(
  person: Person,
  { email, emailVerified }: UpstreamIdentity,
  http: HttpRequest,
  tools: OfferTools,
): Promise<void> {
  if (person.emailVerifiedAt !== null || email === null || !emailVerified || !tools.mail.enabled) return;
  const address = newEmail(email);
  if (address === undefined) return;
  await askForNewEmail(person, address, tools.chrome(http).words.language, tools.account);
}
