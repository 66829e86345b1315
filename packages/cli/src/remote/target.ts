/** Decides where a command works: on a server, or on the database of this machine. */

import { Failure } from "../command-errors.ts";
import { RemoteApi } from "./api.ts";
import { currentServer, signInAt } from "./saved-sign-ins.ts";
import { serverAddress } from "./server-address.ts";
import { freshToken } from "./sign-in.ts";

export interface TargetOptions {
  readonly server?: string;
  readonly local?: true;
}

export interface Target {
  readonly server: string;
  /** True: the command line or the environment names the server, not an earlier `assent login`. */
  readonly isNamed: boolean;
}

/** Undefined: the database of this machine. */
export function targetOf({ server, local }: TargetOptions): Target | undefined {
  if (local) return undefined;
  const named = server ?? (process.env["ASSENT_SERVER"] || undefined);
  if (named !== undefined) return { server: serverAddress(named), isNamed: true };
  const current = currentServer();
  return current === null ? undefined : { server: serverAddress(current), isNamed: false };
}

export function apiAt(server: string): RemoteApi {
  return new RemoteApi(server, () => tokenFor(server));
}

/** ASSENT_TOKEN belongs to ASSENT_SERVER, and is sent to no other server. */
async function tokenFor(server: string): Promise<string> {
  const [token, of] = [process.env["ASSENT_TOKEN"], process.env["ASSENT_SERVER"]];
  if (token && (!of || serverAddress(of) === server)) {
    if (/^[\x21-\x7e]{1,8000}$/.test(token)) return token;
    throw new Failure("ASSENT_TOKEN is not a token: it has spaces or other characters");
  }
  const kept = signInAt(server);
  const fresh = kept && (await freshToken(server, kept));
  if (fresh === undefined) {
    const why = kept === undefined ? "you are not signed in" : "your sign-in has ended";
    throw new Failure(`${server}: ${why}: run assent login ${server}, or set ASSENT_SERVER and ASSENT_TOKEN`);
  }
  return fresh;
}
