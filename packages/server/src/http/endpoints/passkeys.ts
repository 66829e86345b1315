/** `/account/security/passkeys`: add and remove passkeys. */

import { hashes } from "../../crypto/node-hashes.ts";
import { ALGORITHMS, madePasskey, newChallenge, openChallenge, relyingPartyOf } from "../../crypto/passkeys.ts";
import { displayTextProblem } from "../../oauth/names/display-name.ts";
import { type IdentityContext, identitiesOf } from "../../owners/account/identities.ts";
import {
  addPasskey,
  passkeysOf,
  removePasskey as removeOwnPasskey,
  useChallenge,
} from "../../owners/change-factors.ts";
import { KEPT_PASSWORD } from "../../owners/identities/password-keeper.ts";
import { activeProviders } from "../../owners/identities/sign-in-elsewhere.ts";
import type { SignInProviders } from "../../owners/identities/sign-in-provider.ts";
import { knowsPassword } from "../../owners/person.ts";
import type { AddPasskeyView } from "../../pages/factor-views.ts";
import { addPasskeyPage, removePasskeyPage } from "../../pages/index.ts";
import type { WayLeft } from "../../pages/security/views.ts";
import { deviceCookie, rememberDevice } from "../device-cookie.ts";
import { factorChange } from "../factor-change-input.ts";
import { formToken } from "../form-token.ts";
import { type Answer, formOf, page, redirect } from "../http-message.ts";
import { hasPassword, type PasswordUse } from "../reauthentication.ts";
import type { Account } from "./require-sign-in.ts";
import { type FactorTools, freshly, securityAfter } from "./security.ts";

const MAX_NAME = 60;

export const showAddPasskey = freshly("passkeys", async (account, tools: FactorTools) => {
  const request = new URLSearchParams(account.http.query).get("request");
  return addAnswer(account, { name: "", request, fault: null }, tools);
});

export const submitAddPasskey = freshly("passkeys", async (account, tools: FactorTools) => {
  const { person, session, http, visitor } = account;
  const form = formOf(http);
  const name = (form.get("name") ?? "").trim().normalize("NFC");
  const request = form.get("request");
  const again = (fault: AddPasskeyView["fault"], reason?: string) => {
    if (reason !== undefined) tools.event("passkey_refused", { owner: person.personId, reason });
    return addAnswer(account, { name: name.slice(0, MAX_NAME), request, fault }, tools);
  };
  const rp = relyingPartyOf(tools.issuer);
  const now = tools.now();
  const challenge = openChallenge(tools.secrets, `session:${session.sessionId}`, form.get("challenge"), now);
  if (rp === undefined || challenge === undefined)
    return again("failed", "not a challenge of this session's, or too old");
  if (displayTextProblem(name, MAX_NAME) !== undefined) return again("name");
  const made = await madePasskey(form.get("credential") ?? "", challenge, rp);
  if ("refused" in made) return again("failed", made.refused);
  const { until } = challenge;
  const key = hashes.sha256(challenge.challenge);
  if (!(await useChallenge(key, until, tools.factors))) {
    // The second click of a double click, or a form that a browser sends again.
    const own = await passkeysOf(person, tools.factors);
    const isAdded = own.some(({ credentialId }) => credentialId === made.credentialId);
    return isAdded ? addedAnswer(request, visitor.cookies, tools) : again("failed", "answered before");
  }
  const about = { name, device: deviceCookie(http, tools) };
  const { outcome, knownDevice } = await addPasskey(factorChange(account, tools), made, about, tools.factors);
  if (outcome === "unknown") return redirect(303, `${tools.issuer}/login`, visitor.cookies);
  if (outcome !== "added") return again(outcome);
  // A new factor turns known devices into strangers, but this one has just proved that it is the person's.
  const cookies = [...visitor.cookies, ...(knownDevice ? await rememberDevice(person, http, tools) : [])];
  return addedAnswer(request, cookies, tools);
});

function addedAnswer(request: string | null, cookies: readonly string[], tools: FactorTools): Answer {
  if (request === null) return securityAfter("passkey-added", cookies, tools);
  return redirect(303, `${tools.issuer}/consent?${new URLSearchParams({ request })}`, cookies);
}

interface RemovePasskeyTools extends FactorTools {
  readonly elsewhere: SignInProviders;
}

interface AskRemovalTools extends RemovePasskeyTools {
  readonly identities: IdentityContext;
  readonly config: PasswordUse;
}

/** What the removal ends, and how the person can sign in afterwards. */
export const showRemovePasskey = freshly("security", async (account, tools: AskRemovalTools) => {
  const { person, session, http, visitor, keptBy } = account;
  const id = new URLSearchParams(http.query).get("id");
  const own = await passkeysOf(person, tools.factors);
  const passkey = own.find(({ credentialId }) => credentialId === id);
  if (passkey === undefined) return redirect(303, `${tools.issuer}/account/security`, visitor.cookies);
  const active = new Set((await activeProviders(tools.elsewhere)).map((provider) => provider.id));
  const accounts = (await identitiesOf(person, tools.identities)).flatMap(({ provider }) =>
    provider !== null && active.has(provider.id) ? [provider.name] : [],
  );
  if (keptBy !== undefined) accounts.push(keptBy.name);
  const left: readonly WayLeft[] = [
    ...(hasPassword(person, tools.config) && knowsPassword(person) ? [{ kind: "password" } as const] : []),
    ...own.filter((one) => one !== passkey).map(({ name }) => ({ kind: "passkey", name }) as const),
    ...accounts.map((name) => ({ kind: "account", name }) as const),
  ];
  const { credentialId, name } = passkey;
  const chrome = tools.chrome(http, { here: `${http.path}?${http.query}` });
  const html = removePasskeyPage({ csrf: formToken(session, tools), id: credentialId, name, left }, chrome);
  return page(200, html, "here", visitor.cookies);
});

export const removePasskey = freshly("security", async (account, tools: RemovePasskeyTools) => {
  const credentialId = formOf(account.http).get("id") ?? "";
  const providers = (await activeProviders(tools.elsewhere)).map(({ id, issuer }) => ({ issuerId: id, claim: issuer }));
  const waysIn = tools.keeper === null ? providers : [...providers, KEPT_PASSWORD];
  const outcome = await removeOwnPasskey(factorChange(account, tools), credentialId, waysIn, tools.factors);
  return securityAfter(outcome === "last" ? "passkey-last" : "passkey-removed", account.visitor.cookies, tools);
});

async function addAnswer(
  { person, session, http, visitor }: Account,
  shown: Pick<AddPasskeyView, "name" | "request" | "fault">,
  tools: FactorTools,
): Promise<Answer> {
  const rp = relyingPartyOf(tools.issuer);
  const { challenge, sealed } = newChallenge(tools.secrets, `session:${session.sessionId}`, tools.now());
  const existing = await passkeysOf(person, tools.factors);
  const options = rp && {
    rp: { id: rp.id, name: tools.chrome(http).product },
    user: { id: person.personId, name: person.username, displayName: person.name ?? person.username },
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    // The passkey works without a username, and the authenticator always verifies its user.
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    excludeCredentials: existing.map(({ credentialId, transports }) => ({
      type: "public-key",
      id: credentialId,
      transports,
    })),
    attestation: "none",
    timeout: 300_000,
  };
  const view: AddPasskeyView = {
    csrf: formToken(session, tools),
    options: options === undefined ? null : JSON.stringify(options),
    challenge: sealed,
    ...shown,
  };
  const leads = shown.request === null ? "here" : "to a client";
  return page(200, addPasskeyPage(view, tools.chrome(http)), leads, visitor.cookies);
}
