/** Signs an operator in at a server by the device flow (RFC 8628), renews the access token, and signs out. */

import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../command-errors.ts";
import { printable } from "../print-records.ts";
import { objectOf, send } from "./requests.ts";
import { type SignIn, save } from "./saved-sign-ins.ts";

/** The client of commands. `assent admin allow-login` makes it. */
const CLIENT = "assent-cli";
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
/** An access token that ends within this time is renewed first. In milliseconds. */
const EARLY = 30_000;

type Body = Readonly<Record<string, unknown>>;

interface Endpoints {
  readonly device: string;
  readonly token: string;
  readonly revocation: string;
}

/** RFC 8414 §3. The document must name the server that was asked, and endpoints of its own. */
async function endpointsOf(server: string): Promise<Endpoints> {
  const { origin, pathname } = new URL(server);
  const url = `${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`;
  const answer = await send(url, { method: "GET", headers: { accept: "application/json" } });
  if (answer.status !== 200) throw new Failure(`${url} answered ${answer.status}: is it an Assent server?`);
  const metadata = objectOf(answer, url);
  if (metadata["issuer"] !== server) {
    throw new Failure(`this server calls itself ${JSON.stringify(metadata["issuer"])}: use exactly this address`);
  }
  const own = (name: string): string => {
    const found = metadata[name];
    if (typeof found !== "string" || !found.startsWith(`${server}/`)) {
      throw new Failure(
        `${server} has no ${name.replaceAll("_", " ")}: the device flow is switched off (ASSENT_GRANT_TYPES)`,
      );
    }
    return found;
  };
  return {
    device: own("device_authorization_endpoint"),
    token: own("token_endpoint"),
    revocation: own("revocation_endpoint"),
  };
}

async function post(url: string, fields: Readonly<Record<string, string>>): Promise<Body> {
  const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
  const answer = await send(url, { method: "POST", headers, body: new URLSearchParams(fields).toString() });
  return answer.text === "" ? {} : objectOf(answer, url);
}

/** A text of the server, safe on a terminal. Tokens have no other characters. */
const text = (body: Body, name: string): string => printable(typeof body[name] === "string" ? body[name] : "");
const seconds = (body: Body, name: string, otherwise: number): number =>
  typeof body[name] === "number" && body[name] > 0 ? body[name] : otherwise;

/** `show`: tells the person what to open and which code to type. */
export async function signIn(
  server: string,
  scope: string,
  show: (page: string, code: string, whole: string) => void,
): Promise<SignIn> {
  const { device, token } = await endpointsOf(server);
  const codes = await post(device, { client_id: CLIENT, scope, resource: `${server}/admin/api/v1` });
  if (codes["error"] !== undefined) throw refusedDevice(server, codes);
  show(text(codes, "verification_uri"), text(codes, "user_code"), text(codes, "verification_uri_complete"));
  return untilAnswered(server, token, codes);
}

function refusedDevice(server: string, codes: Body): Failure {
  if (codes["error"] === "invalid_client" || codes["error"] === "unauthorized_client") {
    return new Failure(
      `${server} doesn't let commands sign in: on the server's machine, run assent admin allow-login (or use a token: ASSENT_SERVER and ASSENT_TOKEN)`,
    );
  }
  if (codes["error"] === "invalid_scope")
    return new Failure(
      `${server} has no such scope: use admin, or narrower ones such as admin:clients:read, separated by spaces`,
    );
  return new Failure(`${server} gave no code: ${text(codes, "error_description") || text(codes, "error")}`);
}

/** Polls as often as the server allows (RFC 8628 §3.5). */
async function untilAnswered(server: string, url: string, codes: Body): Promise<SignIn> {
  let wait = seconds(codes, "interval", 5);
  for (;;) {
    await sleep(wait * 1000);
    const answer = await post(url, {
      ...{ grant_type: DEVICE_GRANT, client_id: CLIENT, device_code: text(codes, "device_code") },
      resource: `${server}/admin/api/v1`,
    });
    if (answer["access_token"] !== undefined) return signInOf(answer);
    switch (answer["error"]) {
      case "authorization_pending":
        break;
      case "slow_down":
        wait += 5;
        break;
      case "access_denied":
        throw new Failure(
          "nobody allowed the access. If the page said that your account isn't permitted to, you have no role for this scope: ask an operator for one (assent user update YOU --operator admin), or use a narrower --scope",
        );
      case "expired_token":
        throw new Failure("the code has expired: run assent login again");
      default:
        throw new Failure(`the server refused: ${text(answer, "error_description") || text(answer, "error")}`);
    }
  }
}

function signInOf(answer: Body): SignIn {
  return {
    access_token: text(answer, "access_token"),
    refresh_token: text(answer, "refresh_token") || null,
    expires_at: Date.now() + seconds(answer, "expires_in", 60) * 1000,
    scope: text(answer, "scope"),
  };
}

/** The access token, renewed if it ends soon. Undefined: there is none any more, so the person must sign in again. */
export async function freshToken(server: string, kept: SignIn): Promise<string | undefined> {
  if (kept.expires_at > Date.now() + EARLY) return kept.access_token;
  if (kept.refresh_token === null) return undefined;
  const { token } = await endpointsOf(server);
  const answer = await post(token, {
    ...{ grant_type: "refresh_token", client_id: CLIENT, refresh_token: kept.refresh_token },
    resource: `${server}/admin/api/v1`,
  });
  if (answer["error"] === "invalid_grant") return undefined;
  if (answer["access_token"] === undefined) {
    throw new Failure(`${server} gave no new token: ${text(answer, "error_description") || text(answer, "error")}`);
  }
  const renewed = signInOf(answer);
  const next = { ...renewed, refresh_token: renewed.refresh_token ?? kept.refresh_token };
  save(server, next, false);
  return next.access_token;
}

/** Ends the access at the server (RFC 7009). */
export async function endAccess(server: string, { refresh_token: token }: SignIn): Promise<void> {
  if (token === null) return;
  const { revocation } = await endpointsOf(server);
  await post(revocation, { client_id: CLIENT, token, token_type_hint: "refresh_token" });
}
