/** `/account/security/identities/remove`: what it means, and the removal. */

import {
  type IdentityContext,
  identitiesOf,
  removeIdentity as removeOwnIdentity,
} from "../../owners/account/identities.ts";
import { domainOf } from "../../owners/identities/sign-in-elsewhere.ts";
import type { SignInProvider } from "../../owners/identities/sign-in-provider.ts";
import type { Person } from "../../owners/person.ts";
import { disconnectIdentityPage, removeIdentityPage } from "../../pages/index.ts";
import type { EventTools } from "../endpoint-contexts.ts";
import { factorChange } from "../factor-change-input.ts";
import { formToken } from "../form-token.ts";
import { formOf, page, redirect } from "../http-message.ts";
import type { AccountTools } from "./require-sign-in.ts";
import { freshly, securityAfter } from "./security.ts";

interface IdentityTools extends AccountTools, EventTools {
  readonly identities: IdentityContext;
}

export const showRemoveIdentity = freshly("security", async (account, tools: IdentityTools) => {
  const { person, session, http, visitor } = account;
  const id = new URLSearchParams(http.query).get("id");
  const identity = (await identitiesOf(person, tools.identities)).find((one) => one.id === id);
  if (identity === undefined) return redirect(303, `${tools.issuer}/account/security`, visitor.cookies);
  const chrome = tools.chrome(http, { here: `${http.path}?${http.query}` });
  const { id: link, issuer, provider } = identity;
  const view = { csrf: formToken(session, tools), id: link };
  const html =
    provider === null
      ? removeIdentityPage({ ...view, issuer }, chrome)
      : disconnectIdentityPage({ ...view, ...after(provider, person) }, chrome);
  return page(200, html, "here", visitor.cookies);
});

/** What a sign-in at the provider does after its account was disconnected. */
function after({ name, status, trustEmail, emailDomains, createPeople }: SignInProvider, person: Person) {
  const active = status === "active";
  // As a sign-in there finds an account by its address.
  const found = person.emailVerifiedAt !== null && person.operator.length === 0;
  const reconnects = active && trustEmail && found && emailDomains.includes(domainOf(person.email));
  return { provider: name, reconnects, creates: active && createPeople };
}

export const removeIdentity = freshly("security", async (account, tools: IdentityTools) => {
  const { http, visitor } = account;
  const id = formOf(http).get("id") ?? "";
  const identity = (await identitiesOf(account.person, tools.identities)).find((one) => one.id === id);
  const outcome = await removeOwnIdentity(factorChange(account, tools), id, tools.identities);
  if (identity === undefined || outcome === "unknown")
    return redirect(303, `${tools.issuer}/account/security`, visitor.cookies);
  const trusted = identity.provider === null;
  if (outcome === "last") return securityAfter(trusted ? "identity-last" : "account-last", visitor.cookies, tools);
  return securityAfter(trusted ? "identity-removed" : "account-disconnected", visitor.cookies, tools);
});
