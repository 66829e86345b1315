/** The way to the operator's own sign-in page. */

import { signInPolicy } from "../../oauth/authentication-context.ts";
import type { Millis } from "../../oauth/model.ts";
import {
  type ExternalChallenge,
  type ExternalSignIn,
  OLDEST_SIGN_IN,
} from "../../owners/identities/external-sign-in.ts";
import type { Arrival } from "../authorization/continuation-in-forms.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { formOf } from "../http-message.ts";
import { browserTag, MAX_CHALLENGE, sealChallenge } from "./challenge.ts";

export interface Going extends Pick<ExternalChallenge, "connects" | "typed" | "lacks"> {
  /** True: the person wants another account than the one that is signed in. */
  readonly switches: boolean;
}

/** A sign-in, without an address that somebody typed. */
export function goingFrom({ http }: Pick<Arrival, "http">): Going {
  const switches =
    http.path.endsWith("/login/switch") || (http.method === "POST" && formOf(http).get("switch") === "yes");
  return { connects: null, typed: null, switches };
}

/** The address to which the browser goes. Undefined: it would be too long, because the app's request is. */
export function addressOfPage(
  page: ExternalSignIn,
  going: Going,
  arrival: Arrival,
  { secrets, elsewhere, now }: FlowTools,
): string | undefined {
  const { visitor, flow, continuation } = arrival;
  const { connects, typed, switches, lacks } = going;
  const begunAt = now();
  const person = visitor.signedIn?.person;
  const prompt = continuation?.kind === "request" ? (flow?.request.prompt ?? []) : [];
  const choose = switches || connects !== null || prompt.includes("select_account");
  // Somebody who is signed in, and is asked to sign in, proves it now: an older proof would lead to the page again,
  // without end.
  const fresh = prompt.includes("login") || (person !== undefined && !choose);
  const sealed = sealChallenge(
    {
      ...{ id: elsewhere.people.newOwnerId(), browser: browserTag(visitor.nonce), begunAt, connects, typed, choose },
      provedSince: fresh ? begunAt : oldestProof(flow, begunAt),
      // Somebody who wants another account is not expected.
      person: person === undefined || switches ? null : { partition: person.partition, personId: person.personId },
      ...(lacks === undefined ? {} : { lacks }),
      continuation,
    },
    secrets,
  );
  if (sealed.length > MAX_CHALLENGE) return undefined;
  const address = new URL(page.url);
  address.searchParams.set("challenge", sealed);
  return address.href;
}

/** Since when the person must have proved who they are, if they need not prove it now. */
function oldestProof(flow: Arrival["flow"], now: Millis): Millis {
  const maxAge = flow === undefined ? null : signInPolicy([...flow.request.scopes, flow.request]).maxAge;
  return Math.max(now - OLDEST_SIGN_IN, maxAge === null ? 0 : now - maxAge * 1000);
}
