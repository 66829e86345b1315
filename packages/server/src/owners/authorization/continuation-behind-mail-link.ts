/**
 * The continuation of somebody who goes on by a link in a message. It is stored with the link, never in the message, and
 * sealed for the browser that asked: in any other browser, the link only tells what waits.
 */

import type { InvitationFacts, InvitationKey } from "../companies/invitation-facts.ts";
import type { CarrierContext, Continuation } from "./continuation.ts";

/** What waits, as every browser may say it that follows the link. */
export type WaitingFor =
  | { readonly kind: "app"; readonly clientId: string }
  | { readonly kind: "device" }
  /** `key`: absent in links of earlier versions of the server. */
  | ({ readonly kind: "invitation"; readonly key?: InvitationKey | undefined } & InvitationFacts);

export type BehindLink =
  | { readonly kind: "nothing" }
  | { readonly kind: "here"; readonly continuation: Continuation; readonly waitingFor: WaitingFor }
  | { readonly kind: "elsewhere"; readonly waitingFor: WaitingFor };

/** The text that is stored with the link. `browser`: the nonce of the browser that asks. */
export function keepForLink(
  continuation: Continuation,
  waitingFor: WaitingFor,
  browser: string,
  { sealer }: Pick<CarrierContext, "sealer">,
): string {
  return JSON.stringify([
    stored(waitingFor),
    sealer.seal("continuation by mail", browser, JSON.stringify(continuation)),
  ]);
}

/** As stored: `by` is the username, as earlier versions of the server read and wrote it. */
type StoredWaiting =
  | Exclude<WaitingFor, { kind: "invitation" }>
  | ({
      readonly kind: "invitation";
      readonly key?: InvitationKey | undefined;
      readonly by: string | null;
      readonly byName?: string | null;
    } & Omit<InvitationFacts, "by">);

function stored(waiting: WaitingFor): StoredWaiting {
  if (waiting.kind !== "invitation") return waiting;
  return { ...waiting, by: waiting.by?.username ?? null, byName: waiting.by?.name ?? null };
}

function read(waiting: StoredWaiting): WaitingFor {
  if (waiting.kind !== "invitation") return waiting;
  const { by, byName = null, ...rest } = waiting;
  return { ...rest, by: by === null ? null : { username: by, name: byName } };
}

/** `kept`: the stored text; null: nothing waits. `browser`: the nonce of the browser that follows the link. */
export function findBehindLink(
  kept: string | null,
  browser: string,
  { sealer }: Pick<CarrierContext, "sealer">,
): BehindLink {
  if (kept === null) return { kind: "nothing" };
  const [text, sealed] = JSON.parse(kept) as [StoredWaiting, string];
  const waitingFor = read(text);
  const plain = sealer.open("continuation by mail", browser, sealed);
  if (plain === undefined) return { kind: "elsewhere", waitingFor };
  return { kind: "here", continuation: JSON.parse(plain) as Continuation, waitingFor };
}
