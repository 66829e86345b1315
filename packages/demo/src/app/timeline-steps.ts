/** The steps of the demo: each one's title, purpose, and RFC sections. */

import type { Exchange, Line } from "./recorded-exchange.ts";

/** `browser`: through the person's browser. `direct`: from the app to the server, invisible to the browser. */
export type Channel = "browser" | "direct";

export interface StepText {
  readonly title: string;
  /** One or two sentences. */
  readonly what: string;
  readonly sections: readonly Section[];
  readonly channel: Channel;
  /** The sender and the receiver. */
  readonly parties: string;
}

export type Section = readonly [rfc: number, section: string];

/** Decoded data below the messages: its lines, and an explanation for some of them. */
export interface Decoded {
  readonly title: string;
  readonly lines: readonly { readonly text: string; readonly remark: string | null }[];
}

export interface Step extends StepText {
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly outcome: "done" | "refused";
  readonly request: readonly Line[];
  readonly answer: readonly Line[];
  readonly status: number | null;
  readonly errorUri: string | null;
  readonly decoded: readonly Decoded[];
}

const APP_TO_ASSENT = "App → Assent";
const APP_TO_API = "App → API";

const TOKEN = {
  title: "The app trades the code for tokens",
  what: "Straight from server to server. The app proves that it is itself (“client_secret”) and that it began this very request (“code_verifier”, whose hash was the challenge).",
  sections: [
    [6749, "4.1.3"],
    [7636, "4.5"],
    [9068, "2.2"],
  ],
  channel: "direct",
  parties: APP_TO_ASSENT,
} as const satisfies StepText;

export const TEXTS = {
  discovery: {
    title: "The app looks up the server",
    what: "One address is all it was told, the issuer’s. The metadata behind it says where to send people, where codes become tokens, and what the server can do.",
    sections: [[8414, "3"]],
    channel: "direct",
    parties: APP_TO_ASSENT,
  },
  authorization: {
    title: "The app sends you to Assent",
    what: "Your browser carries the question: which app, which permissions. “state” ties the answer to this browser; “code_challenge” is the hash of a secret that the app keeps until it trades the code.",
    sections: [
      [6749, "4.1.1"],
      [7636, "4.3"],
    ],
    channel: "browser",
    parties: "App → your browser → Assent",
  },
  callback: {
    title: "You come back with a code",
    what: "Sign-in and decision took place at Assent; the app saw nothing of them. It compares “state” and “iss”. The code works once, within a minute, and only together with the app’s own secrets.",
    sections: [
      [6749, "4.1.2"],
      [9207, "2"],
    ],
    channel: "browser",
    parties: "Assent → your browser → App",
  },
  denied: {
    title: "You come back with a no",
    what: "The app learns that it may not, and nothing else: not who you are, not whether you have photos at all.",
    sections: [[6749, "4.1.2.1"]],
    channel: "browser",
    parties: "Assent → your browser → App",
  },
  mismatch: {
    title: "An answer that the app did not ask for",
    what: "State, issuer or form of this answer are not those of the request. The app drops it: somebody may have tried to slip their own code into your browser.",
    sections: [
      [6749, "10.12"],
      [9700, "4.7"],
    ],
    channel: "browser",
    parties: "? → your browser → App",
  },
  token: TOKEN,
  tokenWithLess: {
    ...TOKEN,
    what: `${TOKEN.what} “scope” says what you really allowed: less than it asked for.`,
    sections: [...TOKEN.sections, [6749, "3.3"]],
  },
  tokenRefused: {
    title: "Assent does not take the code",
    what: "A code works once, for one app and one request, within a minute. Anything else is “invalid_grant”.",
    sections: [[6749, "5.2"]],
    channel: "direct",
    parties: APP_TO_ASSENT,
  },
  profile: {
    title: "The app asks the API who you are",
    what: "The access token is in one header. The API checks signature, issuer, audience, expiry and scope by itself, with Assent’s public keys.",
    sections: [
      [6750, "2.1"],
      [9068, "4"],
    ],
    channel: "direct",
    parties: APP_TO_API,
  },
  photos: {
    title: "The app fetches your photos",
    what: "The token says “photos:read”, and “sub” says whose photos. No password of yours is anywhere in this.",
    sections: [[6750, "2.1"]],
    channel: "direct",
    parties: APP_TO_API,
  },
  afterRevoked: {
    title: "The old access token still works, for now",
    what: "An access token can’t be taken back, it times out; that is why it lives for minutes only. What you ended is the renewal.",
    sections: [
      [6749, "1.5"],
      [9068, "4"],
    ],
    channel: "direct",
    parties: APP_TO_API,
  },
  expired: {
    title: "The API turns the old token away",
    what: "“exp” has passed, so the API refuses the token, whoever sends it. The app needs a new one: with its refresh token, or by asking you.",
    sections: [
      [6750, "3.1"],
      [6749, "1.5"],
    ],
    channel: "direct",
    parties: APP_TO_API,
  },
  narrowed: {
    title: "The API misses a permission",
    what: "The token is good, but “photos:read” is not in it any more: you took it out, and the app got a narrower token when it renewed.",
    sections: [
      [6750, "3.1"],
      [6749, "6"],
    ],
    channel: "direct",
    parties: APP_TO_API,
  },
  forged: {
    title: "The app tries a token it has tampered with",
    what: "It has given itself another year (“exp”, below). The signature no longer fits the claims, so the API believes none of them.",
    sections: [
      [6750, "3.1"],
      [9068, "4"],
    ],
    channel: "direct",
    parties: APP_TO_API,
  },
  beyond: {
    title: "The app tries what you declined",
    what: "The token is genuine, but “photos:delete” is not in it. 403: it doesn’t help to sign in again, only you can grant more.",
    sections: [[6750, "3.1"]],
    channel: "direct",
    parties: APP_TO_API,
  },
  removed: {
    title: "The app deletes a photo",
    what: "You granted “photos:delete”, so the API does as it is told. Sensitive permissions deserve a second look before you allow them.",
    sections: [[6750, "2.1"]],
    channel: "direct",
    parties: APP_TO_API,
  },
  refresh: {
    title: "The app renews its access token",
    what: "You need not be there: the refresh token stands for what you granted, until it ends or you take it back. What comes is newly signed and short-lived again.",
    sections: [[6749, "6"]],
    channel: "direct",
    parties: APP_TO_ASSENT,
  },
  refreshRefused: {
    title: "Assent refuses to renew",
    what: "“invalid_grant”: what this refresh token stood for has ended. The app can’t tell whether you took it back or it ran out, and has one way on: to ask you again.",
    sections: [
      [6749, "5.2"],
      [6749, "6"],
    ],
    channel: "direct",
    parties: APP_TO_ASSENT,
  },
  failed: {
    title: "No usable answer",
    what: "The other side could not be reached, or answered in a way that the app does not understand.",
    sections: [[6749, "5.2"]],
    channel: "direct",
    parties: "App → ?",
  },
} as const satisfies Readonly<Record<string, StepText>>;

/** Combines a step's text with its recorded exchanges. */
export function stepOf(
  text: StepText,
  exchange: Exchange,
  more: Partial<Pick<Step, "outcome" | "decoded">> = {},
): Omit<Step, "number" | "at"> {
  const { request, answer, status, errorUri } = exchange;
  return {
    ...text,
    request,
    answer,
    status,
    errorUri,
    outcome: status < 400 ? "done" : "refused",
    decoded: [],
    ...more,
  };
}
