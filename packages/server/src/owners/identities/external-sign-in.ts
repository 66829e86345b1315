/** The operator's own sign-in page: its settings, the challenge that a browser takes to it, and its answer. */

import type { Acr, Millis } from "../../oauth/model.ts";
import type { Continuation } from "../authorization/continuation.ts";
import type { SignInProvider } from "./sign-in-provider.ts";

/**
 * Your own sign-in page. The server sends browsers to it with a challenge. Your back end asks what the challenge is
 * about, and says who signed in. Consent, companies and the pages of the account stay here.
 */
export interface ExternalSignIn {
  /** The address of your page: https, or http on this machine. The server adds the parameter `challenge`. */
  readonly url: string;
  /** What people call your sign-in: 1 to 60 characters. */
  readonly name: string;
  /** The clients of this server that may read and answer challenges. They may also tell of changes to your people. */
  readonly clients: readonly string[];
  /**
   * `replaced`: nobody signs in on the built-in page any more. `beside`: it has a button that leads to your page. Absent:
   * `replaced`.
   */
  readonly builtIn?: "replaced" | "beside";
  /**
   * The levels that your page may say it reached. A sign-in of level `mfa` or `phr` needs no second step here. Absent: `1fa`
   * alone, so that people's second step here stays necessary.
   */
  readonly acrValues?: readonly Acr[];
  /** The proofs that your page may say it had. Absent: the values of RFC 8176. */
  readonly amrValues?: readonly string[];
  /**
   * Domains whose addresses you give out. A verified address of them finds the account that has it, if it is verified
   * here, too, and a new account gets it. Absent: none.
   */
  readonly emailDomains?: readonly string[];
  /** False: only people who connected your page to their account sign in with it. Absent: true. */
  readonly createPeople?: boolean;
  /** What happens here when you say that somebody was disabled. Absent: `pause`. */
  readonly whenDisabled?: "keep" | "pause" | "end";
}

/** Its id among the sign-in providers, whose ids are random. */
export const OWN_PAGE = "external";

export function isReplaced(page: ExternalSignIn | null): boolean {
  return page !== null && page.builtIn !== "beside";
}

/** The page as one of the providers at which people sign in, so that everything about identities holds for it, too. */
export function asProvider(page: ExternalSignIn): SignInProvider {
  const { name, clients, emailDomains = [], createPeople = true, whenDisabled = "pause" } = page;
  return {
    ...{
      id: OWN_PAGE,
      type: "openid",
      ownPage: isReplaced(page) ? "only" : "beside",
      name,
      issuer: "",
      clientId: "",
      sealedSecret: null,
      scopes: [],
    },
    ...{ emailDomains, trustEmail: emailDomains.length > 0, createPeople, whenDisabled, changeClients: clients },
    ...{ status: "active", createdAt: 0 },
  };
}

/** How long a challenge can be answered. */
export const CHALLENGE_TTL: Millis = 600_000;
/** An older sign-in at the page does not begin a session here: it would end at once, or soon. */
export const OLDEST_SIGN_IN: Millis = 7 * 86_400_000;
/** How long a browser may take from the answer back to this server, even if the challenge ends sooner. */
const WAY_BACK: Millis = 60_000;

/** What a browser takes to the page, sealed. */
export interface ExternalChallenge {
  /** In the partition of its answer. */
  readonly id: string;
  /** A hash of the nonce of the browser that began. */
  readonly browser: string;
  readonly begunAt: Millis;
  /** The person must have proved who they are since then. */
  readonly provedSince: Millis;
  /** True: the person wants to choose an account. */
  readonly choose: boolean;
  /** The session whose person connects the page to their account. Null: a sign-in. */
  readonly connects: string | null;
  /** Who is signed in here. Null: nobody. */
  readonly person: { readonly partition: number; readonly personId: string } | null;
  /** The address that the person typed. Null: none. */
  readonly typed: string | null;
  /** The level that a device lacks. An app's request says itself which one it needs. Absent: none. */
  readonly lacks?: Acr;
  readonly continuation: Continuation | undefined;
}

export function challengeEnds({ begunAt }: Pick<ExternalChallenge, "begunAt">): Millis {
  return begunAt + CHALLENGE_TTL;
}

/** When the answer to a challenge is of no use any more. */
export function answerEnds(challenge: Pick<ExternalChallenge, "begunAt">): Millis {
  return challengeEnds(challenge) + WAY_BACK;
}

export interface Accepted {
  readonly kind: "accepted";
  readonly subject: string;
  /** As the page said it. Its clock may be wrong by a minute. */
  readonly authTime: Millis;
  readonly acr: Acr;
  readonly amr: readonly string[];
  readonly username: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly emailVerified: boolean;
}

/** `access_denied`: the app gets it. `cancelled`: the person is asked again. */
export const REJECTIONS = ["access_denied", "cancelled"] as const;

export type ExternalAnswer = Accepted | { readonly kind: "rejected"; readonly error: (typeof REJECTIONS)[number] };
