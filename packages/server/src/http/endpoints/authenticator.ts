/** `/account/security/authenticator`: set up, replace and remove one-time codes; make new recovery codes. */

import { sealCodeSecret } from "../../crypto/one-time-code-secrets.ts";
import { base32, newCodeSecret, otpauthUri, stepOfCode } from "../../crypto/one-time-codes.ts";
import { newRecoveryCodes, recoveryCodeHash } from "../../crypto/recovery-codes.ts";
import { seal, unseal } from "../../crypto/seal.ts";
import type { Millis } from "../../oauth/model.ts";
import { provingCodesOf, removeSecondFactor, setAuthenticator, setRecoveryCodes } from "../../owners/change-factors.ts";
import { afterNewAuthenticator } from "../../owners/session-lifetime-and-level.ts";
import type { AuthenticatorView } from "../../pages/factor-views.ts";
import { authenticatorPage, recoveryCodesPage, removeAuthenticatorPage } from "../../pages/index.ts";
import { startSession } from "../browser-of-request.ts";
import { factorChange } from "../factor-change-input.ts";
import { formToken } from "../form-token.ts";
import { type Answer, formOf, page, redirect } from "../http-message.ts";
import type { Account } from "./require-sign-in.ts";
import { type FactorTools, freshly, securityAfter } from "./security.ts";

/** How long a new secret waits for the code that proves it. */
const SETUP_TTL: Millis = 1_800_000;

export const showAuthenticator = freshly("authenticator", async (account, tools: FactorTools) =>
  setupAnswer(account, newCodeSecret(), new URLSearchParams(account.http.query).get("request"), null, tools),
);

export const submitAuthenticator = freshly("authenticator", async (account, tools: FactorTools) => {
  const { person, session, http, visitor } = account;
  const form = formOf(http);
  const request = form.get("request");
  const secret = openSetup(form.get("sealed") ?? "", account, tools);
  if (secret === undefined) return setupAnswer(account, newCodeSecret(), request, "expired", tools);
  const now = tools.now();
  const step = stepOfCode(secret, (form.get("code") ?? "").slice(0, 100), now);
  if (step === undefined) return setupAnswer(account, secret, request, "wrong", tools);
  const { personId } = person;
  const codes = newRecoveryCodes();
  const sealedSecret = sealCodeSecret(tools.secrets, personId, secret);
  const factor = { sealedSecret, step, codes: hashed(codes, personId) };
  const outcome = await setAuthenticator(factorChange(account, tools), factor, tools.factors);
  if (outcome.kind === "ended") return redirect(303, `${tools.issuer}/login`, visitor.cookies);
  const { renewed } = outcome;
  const proving = (await provingCodesOf(person, tools.factors)) ?? null;
  // The password was typed a moment ago, and the code just now, so this session has done both steps. A stronger session
  // gets a new cookie.
  const by = afterNewAuthenticator(session);
  const cookies = [...visitor.cookies, ...(await startSession(person, by, visitor, http, tools, { quietly: true }))];
  const next = request === null ? "/account/security" : `/consent?${new URLSearchParams({ request })}`;
  return page(200, recoveryCodesPage({ codes, renewed, proving, next }, tools.chrome(http)), "here", cookies);
});

export const showRemoveAuthenticator = freshly("security", async (account, tools: FactorTools) => {
  const { session, http, visitor } = account;
  const html = removeAuthenticatorPage({ csrf: formToken(session, tools) }, tools.chrome(http));
  return page(200, html, "here", visitor.cookies);
});

export const removeAuthenticator = freshly("security", async (account, tools: FactorTools) => {
  await removeSecondFactor(factorChange(account, tools), tools.factors);
  return securityAfter("authenticator-removed", account.visitor.cookies, tools);
});

export const renewRecoveryCodes = freshly("security", async (account, tools: FactorTools) => {
  const { person, http, visitor } = account;
  const codes = newRecoveryCodes();
  const replaces = /^\d{1,15}$/.exec(formOf(http).get("replaces") ?? "")?.[0] ?? "-1";
  const set = { codes: hashed(codes, person.personId), replaces: Number(replaces) };
  const outcome = await setRecoveryCodes(factorChange(account, tools), set, tools.factors);
  if (outcome.kind === "newer") return securityAfter("codes-newer", visitor.cookies, tools);
  if (outcome.kind !== "set") return redirect(303, `${tools.issuer}/account/security`, visitor.cookies);
  const view = { codes, renewed: true, proving: outcome.proving ?? null, next: "/account/security" };
  return page(200, recoveryCodesPage(view, tools.chrome(http)), "here", visitor.cookies);
});

function hashed(codes: readonly string[], personId: string): readonly string[] {
  return codes.map((code) => recoveryCodeHash(personId, code)).filter((hash) => hash !== undefined);
}

function setupAnswer(
  { person, session, http, visitor }: Account,
  secret: Uint8Array,
  request: string | null,
  fault: AuthenticatorView["fault"],
  tools: FactorTools,
): Answer {
  const plain = Buffer.from(JSON.stringify([Buffer.from(secret).toString("base64url"), tools.now()]));
  const view: AuthenticatorView = {
    csrf: formToken(session, tools),
    sealed: Buffer.from(seal(tools.secrets, "second factor", bearerOf(session), plain)).toString("base64url"),
    uri: otpauthUri(secret, { issuer: new URL(tools.issuer).host, account: person.username }),
    secret: base32(secret),
    request,
    fault,
  };
  return page(200, authenticatorPage(view, tools.chrome(http)), "here", visitor.cookies);
}

/** The secret that this session was shown. Undefined: it belongs to another session, or is too old. */
function openSetup(sealed: string, { session }: Account, tools: FactorTools): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]{1,300}$/.test(sealed)) return undefined;
  const plain = unseal(tools.secrets, "second factor", bearerOf(session), Buffer.from(sealed, "base64url"));
  if (plain === undefined) return undefined;
  const [secret, at] = JSON.parse(plain.toString()) as [string, Millis];
  return tools.now() - at > SETUP_TTL ? undefined : Buffer.from(secret, "base64url");
}

function bearerOf({ sessionId }: Account["session"]): string {
  return `setup in session:${sessionId}`;
}
