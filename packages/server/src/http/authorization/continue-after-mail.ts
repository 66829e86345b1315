/** What waits for somebody who goes on by a link in a message: as pages show it, and as the link keeps it. */

import { type AuthorizationFlow, resumeFlow } from "../../owners/authorization/browser-flow.ts";
import { type Continuation, requestOf } from "../../owners/authorization/continuation.ts";
import {
  findBehindLink,
  keepForLink,
  type WaitingFor,
} from "../../owners/authorization/continuation-behind-mail-link.ts";
import { invitationKey, isOpenInvitation } from "../../owners/companies/invitation-facts.ts";
import type { Waiting, WaitingWhat } from "../../pages/waiting-view.ts";
import type { Visitor } from "../browser-of-request.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { nameOf } from "../endpoints/client-and-person-views.ts";
import { type Arrival, onward } from "./continuation-in-forms.ts";

/** Undefined: nothing waits but the person's own pages. */
function waitingFor({ continuation, flow, invited }: Arrival): WaitingFor | undefined {
  if (flow !== undefined) return { kind: "app", clientId: flow.request.client.clientId };
  if (continuation?.kind === "device") return { kind: "device" };
  return invited && { kind: "invitation", ...invited };
}

/** Undefined: nothing waits, or the app is gone. */
async function shownAs(
  waiting: WaitingFor | undefined,
  language: string,
  { authorization }: Pick<FlowTools, "authorization">,
): Promise<WaitingWhat | undefined> {
  if (waiting?.kind !== "app") return waiting;
  const client = await authorization.oauth.catalog.client(waiting.clientId);
  return client && { kind: "app", app: nameOf(client, language) };
}

/** What waits behind a page before the message is sent. Null: nothing. */
export async function waitingBehind(arrival: Arrival, language: string, tools: FlowTools): Promise<Waiting | null> {
  const what = await shownAs(waitingFor(arrival), language, tools);
  return what === undefined ? null : { state: "here", what };
}

/** What a link keeps for this browser. Undefined: nothing waits. */
export function keptFor(arrival: Arrival, { authorization }: Pick<FlowTools, "authorization">): string | undefined {
  const found = waitingFor(arrival);
  const waiting =
    found?.kind === "invitation" && arrival.continuation?.kind === "invitation"
      ? { ...found, key: invitationKey(arrival.continuation.token, authorization) }
      : found;
  // After a recovery nobody is signed in, so a page of the account leads back to the request behind it.
  const continuation = requestOf(arrival.continuation) ?? arrival.continuation;
  if (waiting === undefined || continuation === undefined) return undefined;
  return keepForLink(continuation, waiting, arrival.visitor.nonce, authorization);
}

export interface FoundBehindLink {
  /** Undefined: this browser has nothing to go on with. */
  readonly continuation: Continuation | undefined;
  /** The authorization request in it, checked again. */
  readonly flow: AuthorizationFlow | undefined;
  readonly waiting: Waiting | null;
}

const NOTHING = { continuation: undefined, flow: undefined } as const;

/** What a link has kept. In another browser than the one that asked, only its name. */
export async function behindLink(
  text: string | null,
  { nonce }: Pick<Visitor, "nonce">,
  language: string,
  tools: Pick<FlowTools, "authorization">,
): Promise<FoundBehindLink> {
  const found = findBehindLink(text, nonce, tools.authorization);
  if (found.kind === "nothing") return { ...NOTHING, waiting: null };
  const { waitingFor: kept } = found;
  // An invitation may have been withdrawn since. Then nobody may be told that they can join.
  if (kept.kind === "invitation" && kept.key !== undefined && !(await isOpenInvitation(kept.key, tools.authorization)))
    return { ...NOTHING, waiting: { state: "withdrawn", company: kept.company } };
  const what = await shownAs(kept, language, tools);
  if (found.kind === "elsewhere") {
    return { ...NOTHING, waiting: what === undefined ? null : { state: "elsewhere", what } };
  }
  const { continuation } = found;
  const request = requestOf(continuation);
  const resumed = request && (await resumeFlow(request, tools.authorization));
  if (resumed?.kind === "expired" && what?.kind === "app") {
    const waiting = { state: "expired", app: what.app, startAgain: `/authorize?${resumed.query}` } as const;
    return { ...NOTHING, waiting };
  }
  const flow = resumed?.kind === "resumed" ? resumed.flow : undefined;
  return { continuation, flow, waiting: what === undefined ? null : { state: "here", what } };
}

/** The path of the sign-in that leads to what waits. */
export function signInPath(
  continuation: Continuation | undefined,
  visitor: Visitor,
  tools: Pick<FlowTools, "authorization">,
): string {
  const waits = requestOf(continuation) ?? continuation;
  if (waits === undefined) return "/login";
  if (waits.kind !== "account_page") return onward(waits, visitor, tools);
  return `${visitor.signedIn === undefined ? "/login" : "/account/confirm"}?to=${waits.page}`;
}
