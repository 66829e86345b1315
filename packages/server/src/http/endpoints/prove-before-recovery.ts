/** `/recover/proof`, `/undo/proof`: the person proves a factor that is vouched for, before a recovery. */

import type { FollowedLink } from "../../owners/mail/open-mail-link.ts";
import { type ProofOutcome, type ProveContext, proveFactor } from "../../owners/recovery/prove-factor.ts";
import { showRecovery } from "../../owners/recovery/recover-account.ts";
import type { Proof, Ways } from "../../owners/recovery/review-factors-and-apps.ts";
import { provePage } from "../../pages/index.ts";
import type { ProveView, TakeBackWhat } from "../../pages/security/recover-account-views.ts";
import { type Visitor, visitorOf } from "../browser-of-request.ts";
import { networkOf } from "../connections/client-address.ts";
import { deviceCookie } from "../device-cookie.ts";
import { recoveryNewsInRecovery } from "../factor-change-input.ts";
import { formToken, isFormToken } from "../form-token.ts";
import { type Answer, formOf, type HttpRequest, later, page, redirect, waitUntil } from "../http-message.ts";
import { type PasskeyTools, passkeyOffer, personOfPasskey } from "../passkey-forms.ts";
import { type RecoveryTools, recoveryContext, TAKE_BACK_PATHS } from "../recovery-context.ts";
import { sealProof } from "../recovery-proof.ts";
import { followBack } from "./ask-recovery.ts";

const MAX_TYPED = 100;

interface ProveTools extends RecoveryTools {
  readonly factors: PasskeyTools["factors"];
  readonly secondStep: ProveContext;
}

/** A visitor behind the link who has proved nothing yet. */
interface Asked {
  readonly what: TakeBackWhat;
  readonly token: string;
  readonly followed: FollowedLink;
  readonly visitor: Visitor;
  readonly http: HttpRequest;
}

/** The page that asks for the proof. `ways`: null if nothing has to be proved any more. */
export function proveAnswer(
  { what, token, followed, visitor, http }: Asked,
  ways: Ways | null,
  problem: ProveView["problem"],
  tools: RecoveryTools,
): Answer {
  const here = `${TAKE_BACK_PATHS[what]}?${new URLSearchParams({ link: token })}`;
  const view: ProveView = {
    ...{ what, problem, link: token, person: followed.person.username },
    csrf: formToken(visitor, tools),
    codes: ways?.authenticator ?? false,
    passkey: (ways?.passkeys.length ?? 0) > 0 ? passkeyOffer(visitor, tools) : null,
  };
  const status = problem?.kind === "throttled" ? 429 : problem?.kind === "stale" ? 403 : 200;
  return page(status, provePage(view, tools.chrome(http, { here })), "here", visitor.cookies);
}

export function submitProof(what: TakeBackWhat): (http: HttpRequest, tools: ProveTools) => Promise<Answer> {
  return async (http, tools) => {
    const form = formOf(http);
    const token = form.get("link") ?? "";
    const visitor = await visitorOf(http, tools);
    const followed = await followBack(token, { what, http, visitor }, tools);
    if ("status" in followed) return followed;
    const asked = { what, token, followed, visitor, http };
    const { ways } = await showRecovery(followed, undefined, recoveryContext(tools));
    if (ways === null) return onward(asked, undefined, tools);
    const again = (problem: ProveView["problem"]) => proveAnswer(asked, ways, problem, tools);
    if (!isFormToken(form, visitor, tools)) return again({ kind: "stale" });
    if (form.has("credential")) {
      const proof = await byPasskey(asked, ways, form, tools);
      return typeof proof === "string" ? again({ kind: proof }) : onward(asked, proof, tools);
    }
    const by = form.has("recovery") ? "recovery" : "code";
    const typed = (form.get(by) ?? "").slice(0, MAX_TYPED);
    if (typed.trim() === "") return again({ kind: by === "code" ? "missing" : "wrongRecovery" });
    const { person } = followed;
    const from = { network: networkOf(http.address), device: deviceCookie(http, tools) };
    const told = { recoveryNews: recoveryNewsInRecovery(person, http, tools) };
    const outcome = await proveFactor(
      { person, by, typed, ...from, ...told, link: followed.link },
      ways,
      tools.secondStep,
    );
    if (outcome.kind !== "proved") return notProved(outcome, by, asked, again, tools);
    if (by === "recovery") {
      tools.recovery.mail.kick();
      tools.event("recovery_code_used", { owner: person.personId, address: http.address, left: outcome.codesLeft });
    }
    return onward(asked, outcome.proof, tools);
  };
}

/**
 * A passkey of this person that is vouched for. Any other passkey proves nothing. `untrustedPasskey`: the person's own
 * passkey has signed, but nothing vouches for it. Nobody learns this of a passkey that they don't have.
 */
async function byPasskey(
  { followed, visitor, http }: Asked,
  ways: Ways,
  form: URLSearchParams,
  tools: ProveTools,
): Promise<Proof | "passkey" | "untrustedPasskey"> {
  const found = await personOfPasskey(form, visitor, http.address, tools);
  const owner = followed.person.personId;
  if (found?.person.personId !== owner) return "passkey";
  const { credentialId, createdAt: since } = found.passkey;
  if (ways.passkeys.includes(credentialId)) return { kind: "passkey", credentialId, since };
  tools.event("recovery_proof_failed", { owner, by: "passkey", reason: "untrusted", address: http.address });
  return "untrustedPasskey";
}

/** Redirects to the page, which can be loaded again with the proof. */
function onward({ what, token, followed, visitor }: Asked, proof: Proof | undefined, tools: ProveTools): Answer {
  const sealed = proof === undefined ? {} : { proof: sealProof(proof, followed, visitor, tools) };
  const query = new URLSearchParams({ link: token, ...sealed });
  return redirect(303, `${tools.issuer}${TAKE_BACK_PATHS[what]}?${query}`, visitor.cookies);
}

function notProved(
  outcome: Exclude<ProofOutcome, { readonly kind: "proved" }>,
  by: "code" | "recovery",
  { followed, http }: Asked,
  again: (problem: ProveView["problem"]) => Answer,
  tools: ProveTools,
): Answer {
  const owner = followed.person.personId;
  const { address } = http;
  if (outcome.kind === "wrong") {
    tools.event("recovery_proof_failed", { owner, by, reason: outcome.reason, address });
    const wrongCode = outcome.reason === "untrusted" ? "untrustedRecovery" : "wrongRecovery";
    return again({ kind: by === "code" ? "wrong" : wrongCode });
  }
  tools.event("second_step_throttled", { owner, address });
  const { minutes, seconds } = waitUntil(outcome.until, tools.now());
  const answer = again({ kind: "throttled", minutes, expires: outcome.until >= followed.link.expiresAt });
  return later(answer, seconds);
}
