/** The operator's policy about sign-ins, asked about a session that an app or a device is about to use. */

import { OAuthError } from "../../oauth/errors.ts";
import type { Acr } from "../../oauth/model.ts";
import { authenticationOf } from "../session-lifetime-and-level.ts";
import { levelBySignInPolicy } from "../sign-in-policy.ts";
import type { AuthorizationContext, Reader, SignedIn } from "./context.ts";
import type { NextStep, RefuseStep } from "./next-step.ts";

/** The level that the policy requires for this app, which the session does not reach. Refuses by throwing. */
export function levelForApp(
  clientId: string,
  { person, session }: SignedIn,
  { address, device }: Pick<Reader, "address" | "device">,
  context: AuthorizationContext,
): Promise<Exclude<Acr, "1fa"> | undefined> {
  const { acr, amr } = authenticationOf(session);
  const about = { person, acr, amr, authTime: session.authTime, clientId, address, device };
  return levelBySignInPolicy({ when: "request", provider: null, ...about }, context);
}

type PolicyStep = Extract<NextStep, { kind: "step_up" }> | RefuseStep;

/**
 * What the policy wants before the answer or its page. Undefined: nothing. With `prompt=none` there is no page, so the app
 * gets an error; otherwise a refusal is a page, which this throws.
 */
export async function stepForApp(
  { client, prompt }: { readonly client: { readonly clientId: string }; readonly prompt: readonly string[] },
  reader: Reader,
  context: AuthorizationContext,
): Promise<PolicyStep | undefined> {
  const { signedIn } = reader;
  if (context.signInPolicy === null || signedIn === undefined) return undefined;
  const silent = prompt.includes("none");
  try {
    const acr = await levelForApp(client.clientId, signedIn, reader, context);
    if (acr === undefined) return undefined;
    return silent ? { kind: "refuse", condition: "sign_in_too_weak" } : { kind: "step_up", acr };
  } catch (error) {
    if (!silent || !(error instanceof OAuthError)) throw error;
    const { condition, detail = null } = error;
    if (condition !== "sign_in_policy_denied" && condition !== "sign_in_policy_failed") throw error;
    context.event(condition, { client_id: client.clientId, detail, request_id: reader.requestId });
    return { kind: "refuse", condition };
  }
}
