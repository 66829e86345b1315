/** `/account/security/identities/remove`: what it means, and the removal. */

import {
  type IdentityContext,
  identitiesOf,
  removeIdentity as removeOwnIdentity,
} from "../../owners/account/identities.ts";
import { removeIdentityPage } from "../../pages/index.ts";
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
  const view = { csrf: formToken(session, tools), id: identity.id, issuer: identity.issuer };
  return page(200, removeIdentityPage(view, chrome), "here", visitor.cookies);
});

export const removeIdentity = freshly("security", async (account, tools: IdentityTools) => {
  const { http, visitor } = account;
  const id = formOf(http).get("id") ?? "";
  const outcome = await removeOwnIdentity(factorChange(account, tools), id, tools.identities);
  if (outcome === "unknown") return redirect(303, `${tools.issuer}/account/security`, visitor.cookies);
  return securityAfter(outcome === "last" ? "identity-last" : "identity-removed", visitor.cookies, tools);
});
