/**
 * Decides the next step between a request and its answer, for a browser and for a device. It is a pure function, and
 * the only place of this decision (OpenID Connect Core §3.1.2.1, RFC 9470 §5).
 */

import type { Prompt } from "../../oauth/authorization-endpoint/request.ts";
import type { ConditionName } from "../../oauth/errors.ts";
import type { Acr, Millis, Scope } from "../../oauth/model.ts";
import type { ConsentAsked } from "../consent-needed.ts";
import type { Person } from "../person.ts";
import { signInNeeded } from "../session-lifetime-and-level.ts";
import type { Session } from "../storage.ts";
import { decideOwner, heldScopes, type OwnerChoice, preferredOwner } from "./person-or-company.ts";

/** What an app asks for, and what it demands of the sign-in. */
export interface Asked {
  readonly client: ConsentAsked["client"];
  readonly scopes: readonly Scope[];
  /** The destination of the answer. Null: a device; no earlier answer covers a device, so the server asks each time. */
  readonly redirectUri: string | null;
  readonly prompt: readonly Prompt[];
  /** Maximum age of the sign-in in seconds. Null: any age. */
  readonly maxAge: number | null;
  /** The level that the sign-in must reach. Null: any sign-in. */
  readonly acr: Acr | null;
  /** The person whom the app expects. Null or absent: anybody. */
  readonly expectedPeople?: readonly string[] | null;
  /** When the request began: a sign-in since then is recent enough for it. */
  readonly startedAt: Millis;
}

/** Everything that the next step depends on. */
export interface Situation {
  readonly asked: Asked;
  /** Undefined: nobody is signed in. */
  readonly signedIn:
    | {
        readonly person: Pick<Person, "personId" | "mustChangePassword">;
        readonly session: Pick<Session, "authTime" | "acr" | "amr"> & Partial<Pick<Session, "createdAt">>;
      }
    | undefined;
  /** The owners for whom the person may answer, each with their earlier answers. Empty if nobody is signed in. */
  readonly owners: readonly OwnerChoice[];
  readonly now: Millis;
}

/**
 * The consent page, with the owner that it selects. `allGranted`: everything is granted already, and the page is shown
 * nevertheless.
 */
export interface AskStep {
  readonly kind: "ask";
  readonly owner: OwnerChoice;
  readonly allGranted: boolean;
}

/** An error for the app, without a page. */
export interface RefuseStep {
  readonly kind: "refuse";
  readonly condition: Extract<
    ConditionName,
    | ("login_required" | "sign_in_too_old" | "sign_in_too_weak" | "new_password_needed" | "other_person_signed_in")
    | ("consent_required" | "owner_ambiguous" | "nothing_grantable")
    | ("sign_in_policy_denied" | "sign_in_policy_failed")
  >;
}

export type NextStep =
  /** The first sign-in, or another one. */
  | { readonly kind: "sign_in" }
  /** A stronger factor in addition to the present sign-in. */
  | { readonly kind: "step_up"; readonly acr: Exclude<Acr, "1fa"> }
  | { readonly kind: "change_password" }
  | AskStep
  /**
   * `by`: the reason why no page is needed. `otherwise`: the step to take if the consent has ended since it was read.
   */
  | {
      readonly kind: "issue";
      readonly owner: OwnerChoice;
      readonly by: "standing consent" | "first party";
      readonly otherwise: AskStep | RefuseStep;
    }
  | RefuseStep;

export function nextStep(situation: Situation): NextStep {
  const { asked, signedIn, owners, now } = situation;
  const silent = asked.prompt.includes("none");
  // OpenID Connect Core §3.1.2.1: anybody else gets an error, once they had the chance to sign in as that person.
  if (isSomebodyElse(situation) && (silent || (signedIn?.session.authTime ?? 0) >= asked.startedAt))
    return { kind: "refuse", condition: "other_person_signed_in" };
  const proof = proofNeeded(situation);
  if (proof !== undefined) return silent ? { kind: "refuse", condition: whyNotSilent(proof, signedIn) } : proof;
  if (signedIn === undefined) return { kind: "sign_in" };
  const { redirectUri } = asked;
  if (redirectUri === null) return askForDevice(owners, now);
  const decision = decideOwner({ ...asked, redirectUri }, owners, now);
  if (decision === undefined) return { kind: "refuse", condition: "nothing_grantable" };
  const { kind, choice: owner, allGranted } = decision;
  const ambiguous = kind === "ambiguous";
  const ask: AskStep | RefuseStep = silent
    ? { kind: "refuse", condition: ambiguous ? "owner_ambiguous" : "consent_required" }
    : { kind: "ask", owner, allGranted };
  if (kind === "vouched") return { kind: "issue", owner, by: "first party", otherwise: ask };
  return kind === "skip" ? { kind: "issue", owner, by: "standing consent", otherwise: ask } : ask;
}

/** With `prompt=none`: why a page would be needed before the person could be asked. */
function whyNotSilent({ kind }: Proof, signedIn: Situation["signedIn"]): RefuseStep["condition"] {
  if (signedIn === undefined) return "login_required";
  switch (kind) {
    case "sign_in":
      return "sign_in_too_old";
    case "step_up":
      return "sign_in_too_weak";
    case "change_password":
      return "new_password_needed";
  }
}

/** True: the app expects another person than the one who is signed in. */
function isSomebodyElse({
  asked: { expectedPeople = null },
  signedIn,
}: Pick<Situation, "asked" | "signedIn">): boolean {
  return expectedPeople !== null && signedIn !== undefined && !expectedPeople.includes(signedIn.person.personId);
}

type Proof = Extract<NextStep, { kind: "sign_in" | "step_up" | "change_password" }>;

/** The proof or change that the person owes before they are asked. Undefined: none. */
function proofNeeded({ asked, signedIn, now }: Situation): Proof | undefined {
  if (signedIn === undefined || isSomebodyElse({ asked, signedIn })) return { kind: "sign_in" };
  const needed = signInNeeded(asked, asked.scopes, signedIn.session, asked.startedAt, now);
  if (needed.kind === "sign_in") return { kind: "sign_in" };
  if (needed.kind === "step") return { kind: "step_up", acr: needed.acr };
  return signedIn.person.mustChangePassword ? { kind: "change_password" } : undefined;
}

function askForDevice(owners: readonly OwnerChoice[], now: Millis): AskStep | RefuseStep {
  const owner = preferredOwner(owners);
  if (owner === undefined) return { kind: "refuse", condition: "nothing_grantable" };
  const held = heldScopes(owner, now);
  return { kind: "ask", owner, allGranted: owner.scopes.every(({ name }) => held.has(name)) };
}
