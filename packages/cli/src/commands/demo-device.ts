/** `assent demo device`: a terminal that acts as a television and connects by the device flow (RFC 8628). */

import { setTimeout as sleep } from "node:timers/promises";
import encodeQR from "qr";
import { Failure } from "../command-errors.ts";

/** The device authorization response (§3.2). Times in seconds. */
interface Codes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** Asks for a code, shows it, polls until the owner has answered, and shows what the device can see with its token. */
export async function demoDevice(): Promise<void> {
  const { loadConfig } = await import("@assent/server/admin");
  const { knownDevice } = await import("@assent/demo");
  const facts = knownDevice((await loadConfig()).dataDir);
  if (facts === undefined) throw new Failure("there is no demo here: run assent demo, and keep it running");
  const endpoints = await discover(facts.issuer);
  const codes = (await post(endpoints.device, {
    client_id: facts.client_id,
    scope: "photos:read profile:read",
  })) as unknown as Codes;
  process.stdout.write(screen(codes));
  const token = await untilAnswered(endpoints.token, facts.client_id, codes);
  process.stdout.write(`  Connected: this device may ${token.scope}.\n`);
  const photos = await fetch(`${facts.api_url}/photos`, { headers: { authorization: `Bearer ${token.access}` } });
  if (!photos.ok) throw new Failure(`the demo's API answered ${photos.status}`);
  process.stdout.write(`  ${facts.api_url}/photos answers: ${(await photos.text()).slice(0, 200)} …\n\n`);
}

/** Looks up the device authorization endpoint and the token endpoint (RFC 8414). */
async function discover(issuer: string): Promise<{ device: string; token: string }> {
  const { metadataUrl } = await import("@assent/server/admin");
  const response = await fetch(metadataUrl(issuer)).catch(() => undefined);
  if (response === undefined || !response.ok) {
    throw new Failure(`${issuer} doesn't answer: run assent demo, and keep it running`);
  }
  const metadata = (await response.json()) as Record<string, string>;
  const { device_authorization_endpoint: device, token_endpoint: token } = metadata;
  if (device === undefined || token === undefined)
    throw new Failure(`${issuer} doesn't offer the device flow (ASSENT_GRANT_TYPES)`);
  return { device, token };
}

/** The members of the response. A refusal has the member `error`. */
async function post(url: string, fields: Record<string, string>): Promise<Record<string, string>> {
  const response = await fetch(url, { method: "POST", body: new URLSearchParams(fields) });
  const body = (await response.json()) as Record<string, string>;
  if (!response.ok && url.endsWith("/device_authorization"))
    throw new Failure(`the server gave no code: ${body["error_description"]}`);
  return body;
}

/** Shows what a television would show: the address, also as a QR code, and the user code. */
function screen({ verification_uri, verification_uri_complete, user_code, expires_in }: Codes): string {
  const coloured = process.stdout.isTTY === true && process.stdout.hasColors();
  const picture = encodeQR(verification_uri_complete, coloured ? "term" : "ascii", { border: 2 });
  return `
  Photo frame: see your photos here

${picture}
  Scan this with your phone, or open  ${verification_uri}
  and enter the code                  ${user_code}

  It works for ${Math.round(expires_in / 60)} minutes. Waiting for you …
`;
}

/** Polls at the interval that the server asks for (§3.5). */
async function untilAnswered(url: string, clientId: string, codes: Codes): Promise<{ access: string; scope: string }> {
  let wait = codes.interval;
  for (;;) {
    await sleep(wait * 1000);
    const form = { grant_type: DEVICE_GRANT, client_id: clientId, device_code: codes.device_code };
    const { error, access_token: access, scope = "" } = await post(url, form);
    if (access !== undefined) return { access, scope };
    if (error === "slow_down") wait += 5;
    else if (error === "access_denied") throw new Failure("the person didn't allow the device");
    else if (error === "expired_token") throw new Failure("the code has expired: run assent demo device again");
    else if (error !== "authorization_pending") throw new Failure(`the server refused the device: ${error}`);
  }
}
