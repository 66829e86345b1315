/** `/recover/proof`, `/undo/proof`: a factor that something vouches for is proved before an account is taken back. */

import type { FollowedLink } from "../../owners/mail/open-link.ts";
import { type ProofOutcome, proveFactor } from "../../owners/recovery/prove-factor.ts";
import type { Proof, Ways } from "../../owners/recovery/review-factors-and-apps.ts";
import { showRecovery } from "../../owners/recovery/take-back.ts";
import { provePage } from "../../pages/index.ts";
import type { ProveView, TakeBackWhat } from "../../pages/security/take-back-views.ts";
import type { Assent } from "../../server-parts.ts";
import { networkOf } from "../connections/client-address.ts";
import { deviceCookie } from "../device-cookie.ts";
import { formToken, isFormToken } from "../forms.ts";
import { recoveryNews } from "../mail-links.ts";
import { type Answer, formOf, type HttpRequest, page, redirect } from "../message.ts";
import { passkeyOffer, personOfPasskey } from "../passkeys.ts";
import { recoveryContext, TAKE_BACK_PATHS } from "../recovery-context.ts";
import { sealProof } from "../recovery-proof.ts";
import { type Visitor, visitorOf } from "../visitor.ts";
import { followBack } from "./recover.ts";

const MAX_TYPED = 100;

/** Somebody behind the link who has proved nothing yet. */
interface Asked {
  readonly what: TakeBackWhat;
  readonly token: string;
  readonly followed: FollowedLink;
  readonly visitor: Visitor;
  readonly http: HttpRequest;
}

/** The page that asks for it. `ways`: null where nothing is to be proved any more. */
export function proveAnswer(
  { what, token, followed, visitor, http }: Asked,
  ways: Ways | null,
  problem: ProveView["problem"],
  assent: Assent,
): Answer {
  const here = `${TAKE_BACK_PATHS[what]}?${new URLSearchParams({ link: token })}`;
  const view: ProveView = {
    ...{ what, problem, link: token, person: followed.person.username },
    csrf: formToken(assent.secrets, `browser:${visitor.nonce}`),
    codes: ways?.authenticator ?? false,
    passkey: (ways?.passkeys.length ?? 0) > 0 ? passkeyOffer(visitor, assent) : null,
  };
  const status = problem?.kind === "throttled" ? 429 : problem?.kind === "stale" ? 403 : 200;
  return page(status, provePage(view, assent.chrome(http, { here })), "here", visitor.cookies);
}

export function submitProof(what: TakeBackWhat): (http: HttpRequest, assent: Assent) => Promise<Answer> {
  return async (http, assent) => {
    const form = formOf(http);
    const token = form.get("link") ?? "";
    const visitor = await visitorOf(http, assent);
    const followed = await followBack(token, { what, http, visitor }, assent);
    if ("status" in followed) return followed;
    const asked = { what, token, followed, visitor, http };
    const { ways } = await showRecovery(followed, undefined, recoveryContext(assent));
    if (ways === null) return onward(asked, undefined, assent);
    const again = (problem: ProveView["problem"]) => proveAnswer(asked, ways, problem, assent);
    if (!isFormToken(assent.secrets, `browser:${visitor.nonce}`, form.get("csrf"))) return again({ kind: "stale" });
    if (form.has("credential")) {
      const proof = await byPasskey(asked, ways, form, assent);
      return proof === undefined ? again({ kind: "passkey" }) : onward(asked, proof, assent);
    }
    const by = form.has("recovery") ? "recovery" : "code";
    const typed = (form.get(by) ?? "").slice(0, MAX_TYPED);
    if (typed.trim() === "") return again({ kind: by === "code" ? "missing" : "wrongRecovery" });
    const { person } = followed;
    const from = { network: networkOf(http.address), device: deviceCookie(http, assent) };
    const told = { recoveryNews: recoveryNews(person, http, assent) };
    const outcome = await proveFactor({ person, by, typed, ...from, ...told, link: followed.link.linkId }, ways, {
      ...assent.secondStep,
      storage: assent.storage,
    });
    if (outcome.kind !== "proved") return notProved(outcome, by, asked, again, assent);
    if (by === "recovery") {
      assent.mail.kick();
      assent.event("recovery_code_used", { owner: person.personId, address: http.address, left: outcome.codesLeft });
    }
    return onward(asked, outcome.proof, assent);
  };
}

/** A passkey of this person that something vouches for: another's, or one that nothing vouches for, proves nothing. */
async function byPasskey(
  { followed, visitor, http }: Asked,
  ways: Ways,
  form: URLSearchParams,
  assent: Assent,
): Promise<Proof | undefined> {
  const found = await personOfPasskey(form, visitor, http.address, assent);
  if (found?.person.personId !== followed.person.personId) return undefined;
  const { credentialId, createdAt: since } = found.passkey;
  return ways.passkeys.includes(credentialId) ? { kind: "passkey", credentialId, since } : undefined;
}

/** Back to the page, which can be loaded again with what was proved. */
function onward({ what, token, followed, visitor }: Asked, proof: Proof | undefined, assent: Assent): Answer {
  const sealed = proof === undefined ? {} : { proof: sealProof(proof, followed, visitor, assent) };
  const query = new URLSearchParams({ link: token, ...sealed });
  return redirect(303, `${assent.issuer}${TAKE_BACK_PATHS[what]}?${query}`, visitor.cookies);
}

function notProved(
  outcome: Exclude<ProofOutcome, { readonly kind: "proved" }>,
  by: "code" | "recovery",
  { followed, http }: Asked,
  again: (problem: ProveView["problem"]) => Answer,
  assent: Assent,
): Answer {
  const owner = followed.person.personId;
  const { address } = http;
  if (outcome.kind === "wrong") {
    assent.event("recovery_proof_failed", { owner, by, reason: outcome.reason, address });
    return again({ kind: by === "code" ? "wrong" : "wrongRecovery" });
  }
  assent.event("second_step_throttled", { owner, address });
  const wait = Math.max(1, outcome.until - assent.now());
  const answer = again({ kind: "throttled", minutes: Math.ceil(wait / 60_000) });
  return { ...answer, headers: { ...answer.headers, "retry-after": String(Math.ceil(wait / 1000)) } };
}
