/** The readable parts of an access token (RFC 9068 §2): its header and its claims, each with an explanation. */

import { decodedJwt } from "./recorded-exchange.ts";
import type { Decoded } from "./timeline-steps.ts";

/** The values that the claims are compared with. */
export interface Known {
  readonly issuer: string;
  readonly clientId: string;
  readonly apiUrl: string;
}

/** Returns an empty list if the token isn't a JWT. Then only the server and the API know its format. */
export function explainedJwt(token: string, known: Known): Decoded[] {
  const decoded = decodedJwt(token);
  if (decoded === undefined) return [];
  return [
    { title: "The access token’s header", lines: explained(decoded.header, known) },
    { title: "The access token’s claims", lines: explained(decoded.claims, known) },
  ];
}

function explained(part: unknown, known: Known): Decoded["lines"] {
  const entries = Object.entries((part ?? {}) as Record<string, unknown>);
  const lines = entries.map(([name, value], index) => {
    const comma = index < entries.length - 1 ? "," : "";
    return {
      text: `  ${JSON.stringify(name)}: ${JSON.stringify(value)}${comma}`,
      remark: remarkOn(name, value, known),
    };
  });
  return [{ text: "{", remark: null }, ...lines, { text: "}", remark: null }];
}

function remarkOn(name: string, value: unknown, { issuer, clientId, apiUrl }: Known): string | null {
  switch (name) {
    case "typ":
      return value === "at+jwt" ? "an access token, no other JWT" : null;
    case "kid":
      return "which of Assent’s public keys checks it";
    case "iss":
      return value === issuer ? "Assent made it" : null;
    case "aud":
      return value === apiUrl ? "for the Photos API alone" : null;
    case "sub":
      return "you, as a random id";
    case "client_id":
      return value === clientId ? "this app" : null;
    case "scope":
      return "what you allowed";
    case "acr":
      return "how sure Assent is of you";
    case "amr":
      return "how you signed in";
    case "jti":
      return "this one token";
    case "iat":
    case "auth_time":
    case "exp":
      return timeRemark(name, Number(value) * 1000);
    default:
      return null;
  }
}

function timeRemark(name: "iat" | "auth_time" | "exp", at: number): string {
  const what = { iat: "made", auth_time: "you signed in", exp: "expires" }[name];
  return `${what} ${at - Date.now() > 86_400_000 ? new Date(at).toISOString().slice(0, 10) : clock(at)}`;
}

/** The time of day in this machine's time zone. The reader uses the same machine. */
export function clock(at: number): string {
  return new Date(at).toLocaleTimeString("en-GB");
}
