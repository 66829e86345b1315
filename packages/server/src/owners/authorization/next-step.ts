/**
 * What comes next on the way from a request to its answer, for a browser and for a device. Pure, and the only place where that is decided
 * (OpenID Connect Core §3.1.2.1, RFC 9470 §5).
 */

import type { Prompt } from "../../oauth/authorization-endpoint/request.ts";
import type { ConditionName } from "../../oauth/errors.ts";
import type { Acr, Client, Millis, Scope } from "../../oauth/model.ts";
import { standingScopes } from "../consent.ts";
import { decideOwner, type OwnerChoice, preferredOwner } from "../owner-choice.ts";
import type { Person } from "../person.ts";
import { signInNeeded } from "../session.ts";
import type { Session } from "../storage.ts";

/** What an app asks for, and of whoever answers it. */
export interface Asked {
  readonly client: Pick<Client, "type" | "firstParty">;
  readonly scopes: readonly Scope[];
  /** Where the answer goes. Null: to a device, for which no answer of before stands: each time somebody is asked. */
  readonly redirectUri: string | null;
  readonly prompt: readonly Prompt[];
  /** Seconds that a sign-in may be old; null: any age. */
  readonly maxAge: number | null;
  /** How surely the person must have been recognized; null: by any sign-in. */
  readonly acr: Acr | null;
  /** When the request began: a sign-in since then is fresh enough for all of it. */
  readonly startedAt: Millis;
}

/** All that the next step depends on. */
export interface Situation {
  readonly asked: Asked;
  /** Undefined: nobody is signed in. */
  readonly signedIn:
    | {
        readonly person: Pick<Person, "mustChangePassword">;
        readonly session: Pick<Session, "authTime" | "acr" | "amr">;
      }
    | undefined;
  /** For whom the person may answer, each with what they are remembered to have answered. Empty where nobody is signed in. */
  readonly owners: readonly OwnerChoice[];
  readonly now: Millis;
}

/** The consent page, with the owner whom it selects. `allGranted`: all is granted already, and the page is shown nevertheless. */
export interface AskStep {
  readonly kind: "ask";
  readonly owner: OwnerChoice;
  readonly allGranted: boolean;
}

/** An error for the app, and no page. */
export interface RefuseStep {
  readonly kind: "refuse";
  readonly condition: Extract<
    ConditionName,
    "login_required" | "consent_required" | "owner_ambiguous" | "nothing_grantable"
  >;
}

export type NextStep =
  /** For the first time, or once more. */
  | { readonly kind: "sign_in" }
  /** Something stronger beside the sign-in that there is. */
  | { readonly kind: "step_up"; readonly acr: Exclude<Acr, "1fa"> }
  | { readonly kind: "change_password" }
  | AskStep
  /** `by`: what answers in place of a page. `otherwise`: the step where a standing consent turns out to have ended since it was looked at. */
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
  const proof = proofNeeded(situation);
  if (proof !== undefined) return silent ? { kind: "refuse", condition: "login_required" } : proof;
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

/** What the person still has to show or to do before anything is asked of them; undefined: nothing. */
function proofNeeded({ asked, signedIn, now }: Situation): Exclude<NextStep, AskStep | RefuseStep> | undefined {
  if (signedIn === undefined) return { kind: "sign_in" };
  const needed = signInNeeded(asked, asked.scopes, signedIn.session, asked.startedAt, now);
  if (needed.kind === "sign_in") return { kind: "sign_in" };
  if (needed.kind === "step") return { kind: "step_up", acr: needed.acr };
  return signedIn.person.mustChangePassword ? { kind: "change_password" } : undefined;
}

function askForDevice(owners: readonly OwnerChoice[], now: Millis): AskStep | RefuseStep {
  const owner = preferredOwner(owners);
  if (owner === undefined) return { kind: "refuse", condition: "nothing_grantable" };
  const standing = standingScopes(owner.consent, owner.reach, now);
  return { kind: "ask", owner, allGranted: owner.scopes.every(({ name }) => standing.has(name)) };
}
