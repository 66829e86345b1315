/** An authenticator app for tests: sets itself up on the pages and computes codes. */

import { codeOf } from "../../packages/server/src/crypto/one-time-codes.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { Agent, type Form, type Page, signIn } from "./http-browser.ts";
import type { TestServer } from "./test-server.ts";

export const AUTHENTICATOR = "/account/security/authenticator";

export interface Authenticator {
  /** The current code, or the code of a number of 30-second steps later. */
  code(later?: number): string;
}

export interface WithSecondStep {
  readonly person: Person;
  /** The signed-in browser that set up the app. */
  readonly agent: Agent;
  readonly app: Authenticator;
  readonly recoveryCodes: readonly string[];
}

/** The form that has a field of this name. */
export function formWith(page: Page, field: string): Form {
  const found = page.forms.find(({ fields }) => fields.has(field));
  if (found === undefined) throw new Error(`no form with ${field}: ${page.status} ${page.text.slice(0, 400)}`);
  return found;
}

/** Reads the secret from the set-up page. */
export function appOf(page: Pick<Page, "text">, server: TestServer): Authenticator {
  const letters = /<code class="secret"[^>]*>([A-Z2-7 ]+)</.exec(page.text)?.[1]?.replaceAll(" ", "") ?? "";
  const bits = [...letters].map((one) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(one).toString(2).padStart(5, "0"));
  const bytes = (bits.join("").match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2));
  return { code: (later = 0) => codeOf(Uint8Array.from(bytes), Math.floor(server.now() / 30_000) + later) };
}

export function recoveryCodesOf(page: Page): readonly string[] {
  return [...page.text.matchAll(/<li><code>([a-z0-9-]+)<\/code>/g)].map(([, code = ""]) => code);
}

/** A person with an authenticator app. The clock is moved on, so that the current code is unused. */
export async function withSecondStep(server: TestServer, given?: Person): Promise<WithSecondStep> {
  const person = given ?? (await server.addPerson());
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  const page = await agent.get(AUTHENTICATOR);
  const app = appOf(page, server);
  const done = await agent.submit(formWith(page, "code"), { code: app.code() });
  const recoveryCodes = recoveryCodesOf(done);
  if (recoveryCodes.length === 0) throw new Error(`not set up: ${done.status} ${done.text.slice(0, 400)}`);
  server.tick(60_000);
  return { person, agent, app, recoveryCodes };
}
