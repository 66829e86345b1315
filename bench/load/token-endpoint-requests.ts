/** Requests to the token endpoints of our server and of other servers. */

import { VERIFIER } from "../prepare-database.ts";
import type { Exchange } from "./closed-loop.ts";
import { run } from "./closed-loop.ts";
import { basic, member, post } from "./http-bytes.ts";

export interface Confidential {
  readonly clientId: string;
  readonly secret: string;
  readonly redirectUris: readonly string[];
}

/** The redemption of a code, with PKCE and the client's secret. */
export function redemption(path: string, client: Confidential, code: string): Exchange {
  const redirectUri = encodeURIComponent(client.redirectUris[0] ?? "");
  const form = `grant_type=authorization_code&code=${code}&redirect_uri=${redirectUri}&code_verifier=${VERIFIER}`;
  return { request: post(path, form, credentials(client)) };
}

export function refresh(path: string, client: Confidential, token: string): Exchange {
  return { request: post(path, `grant_type=refresh_token&refresh_token=${token}`, credentials(client)) };
}

export function credentials({ clientId, secret }: Confidential): string {
  return basic(clientId, secret);
}

/** Refreshes the token that was used least recently. Its successor is added to the end of the queue. */
export function rotation(path: string, client: Confidential, tokens: readonly string[]): () => Exchange {
  const line = [...tokens];
  let at = 0;
  return () => {
    const place = at++ % line.length;
    return {
      ...refresh(path, client, line[place] ?? ""),
      answered: (body) => {
        line[place] = member(body, "refresh_token");
        return undefined;
      },
    };
  };
}

/** Sends each request once, and returns this member of each answer. */
export async function collect(port: number, exchanges: readonly Exchange[], name: string): Promise<string[]> {
  const found: string[] = [];
  const left = exchanges.values();
  const next = (): Exchange | undefined => {
    const one = left.next();
    if (one.done === true) return undefined;
    return {
      ...one.value,
      answered: (body) => {
        found.push(member(body, name));
        return undefined;
      },
    };
  };
  await run({ port, connections: 32, seconds: 60, next });
  if (found.length !== exchanges.length) throw new Error(`${found.length} of ${exchanges.length} were answered`);
  return found;
}
