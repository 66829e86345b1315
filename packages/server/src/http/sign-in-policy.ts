/** Asks the operator's policy about a sign-in, between its last step and its session. */

import type { SignedInBy } from "../owners/session-lifetime-and-level.ts";
import { levelBySignInPolicy, refuseTooWeak, type SignInOccasion } from "../owners/sign-in-policy.ts";
import type { Person } from "../owners/storage.ts";
import type { Arrival } from "./authorization/continuation-in-forms.ts";
import { deviceCookie } from "./device-cookie.ts";
import type { FlowTools } from "./endpoint-contexts.ts";
import { secondStepAnswer, waysFor } from "./endpoints/second-step-page.ts";
import type { Answer } from "./http-message.ts";

/** The app that waits. Null: none, or a device whose code was not looked up yet. */
export function clientOf({ flow, continuation }: Pick<Arrival, "flow" | "continuation">): string | null {
  return flow?.request.client.clientId ?? (continuation?.kind === "device" ? continuation.clientId : null);
}

/** The step that the policy wants before there is a session. Undefined: none. Refuses by throwing. */
export async function stepByPolicy(
  when: SignInOccasion,
  person: Person,
  { acr, amr, authTime, upstream }: SignedInBy,
  arrival: Arrival,
  tools: FlowTools,
): Promise<Answer | undefined> {
  const { authorization } = tools;
  if (authorization.signInPolicy === null) return undefined;
  const { http } = arrival;
  const situation = {
    ...{ when, person, acr, amr, authTime, address: http.address, device: deviceCookie(http, tools) },
    provider: upstream?.subject.issuerId ?? null,
    clientId: clientOf(arrival),
  };
  const level = await levelBySignInPolicy(situation, authorization);
  if (level === undefined) return undefined;
  const ways = await waysFor({ person }, level, tools);
  if (!ways.codes && !ways.passkeys) return refuseTooWeak(situation, level, authorization);
  return secondStepAnswer(
    arrival,
    ways,
    { person, authTime, sessionId: null, amr, ...(upstream && { upstream }) },
    tools,
  );
}
