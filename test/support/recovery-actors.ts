/** An owner and an intruder of one account, each with their own browser, and the recovery of the account by e-mail. */

import type { Person } from "../../packages/server/src/owners/storage.ts";
import { AUTHENTICATOR, type Authenticator, appOf, formWith, recoveryCodesOf } from "./authenticator-app.ts";
import { Agent, authorize, authorizeUrl, type Page, redeem, refresh, signIn } from "./http-browser.ts";
import type { Received, TestMailbox } from "./smtp-server.ts";
import { SoftAuthenticator } from "./soft-webauthn-authenticator.ts";
import type { TestClient, TestServer } from "./test-server.ts";

export const DAY = 86_400_000;
export const OWNERS_BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
export const STRANGE_BROWSER =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36";
export const NEW_PASSWORD = "seven green umbrellas";

/** The options that a script gets for a passkey. */
export function passkeyOptions({ text }: Page) {
  const found = /data-options="([^"]*)"/.exec(text)?.[1];
  if (found === undefined) throw new Error(`no options: ${text.slice(0, 300)}`);
  return JSON.parse(found.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
}

/** Adds a passkey in a signed-in browser. */
export async function aPasskeyOf(agent: Agent, server: TestServer, name: string): Promise<SoftAuthenticator> {
  const key = new SoftAuthenticator(server.issuer);
  const page = await agent.get("/account/security/passkeys");
  const made = await agent.submit(formWith(page, "credential"), { name, credential: key.create(passkeyOptions(page)) });
  if (made.status !== 303) throw new Error(`no passkey: ${made.status} ${made.text.slice(0, 300)}`);
  return key;
}

/** Sets up an authenticator app in a signed-in browser. Moves the clock on, so that the current code is unused. */
export async function anAuthenticatorOf(
  agent: Agent,
  server: TestServer,
): Promise<{ readonly app: Authenticator; readonly codes: readonly string[] }> {
  const page = await agent.get(AUTHENTICATOR);
  const app = appOf(page, server);
  const codes = recoveryCodesOf(await agent.submit(formWith(page, "code"), { code: app.code() }));
  if (codes.length === 0) throw new Error("the authenticator was not set up");
  server.tick(60_000);
  return { app, codes };
}

/** Whether a sign-in with this passkey succeeds. */
export async function entersBy(key: SoftAuthenticator, server: TestServer): Promise<boolean> {
  const agent = new Agent(server.issuer);
  const page = await agent.get("/login");
  await agent.submit(formWith(page, "credential"), { credential: key.get(passkeyOptions(page)) });
  return agent.cookies.has("assent_session");
}

/** Tries a password: `in` (signed in), `code` (a second step is asked for) or `no` (refused). */
export async function entersWith(login: string, password: string, server: TestServer): Promise<"in" | "code" | "no"> {
  const agent = new Agent(server.issuer);
  const page = await agent.submit(formWith(await agent.get("/login"), "username"), { username: login, password });
  if (agent.cookies.has("assent_session")) return "in";
  return page.forms.some(({ fields }) => fields.has("code")) ? "code" : "no";
}

/** Connects an app in a signed-in browser. `works` says whether the app still gets tokens. */
export async function aConnection(
  agent: Agent,
  person: Person,
  server: TestServer,
  changes: Partial<TestClient> = {},
): Promise<{ readonly client: TestClient; works(): Promise<boolean> }> {
  const client = await server.addClient(changes);
  const answer = await redeem(server, client, await authorize(agent, authorizeUrl(server, client), person.username));
  const token = answer.body.refresh_token;
  if (token === undefined) throw new Error("no refresh token");
  return { client, works: async () => (await refresh(server, client, token)).body.error === undefined };
}

/** A browser in which the person signs in with only a password. */
export async function signedInWith(userAgent: string, person: Person, server: TestServer): Promise<Agent> {
  const agent = new Agent(server.issuer, { "user-agent": userAgent });
  await signIn(agent, person.username);
  return agent;
}

/** The next message with this subject. Skips other messages. */
export async function messageTo(address: string, subject: string, mailbox: TestMailbox): Promise<Received> {
  for (;;) {
    const message = await mailbox.next(address);
    if (message.subject === subject) return message;
  }
}

/** Asks for a recovery, and returns its link. */
export async function recoveryLink(
  person: Person,
  server: TestServer,
  mailbox: TestMailbox,
  to = person.email,
): Promise<string> {
  const agent = new Agent(server.issuer);
  await agent.submit(formWith(await agent.get("/recover"), "login"), { login: to });
  return (await messageTo(to, "Choose a new password", mailbox)).link;
}

/** The labels of the selected checkboxes. */
export function ticksOf({ text }: Page): Readonly<Record<string, boolean>> {
  return Object.fromEntries(
    [...text.matchAll(/<label class="choice"><input type="checkbox"([^>]*)\/>([\s\S]*?)<\/label>/g)].map(
      ([, attributes = "", inner = ""]) => {
        const [, said = ""] = /<p>([\s\S]*?)<\/p>/.exec(inner) ?? [];
        return [
          said
            .replace(/<span class="tag.*/s, "")
            .replaceAll(/<[^>]*>/g, "")
            .trim(),
          /\schecked(?:\s|=|$)/.test(` ${attributes} `),
        ];
      },
    ),
  );
}

/** Sends the decision with the preselected values, or with overrides. */
export function decide(
  agent: Agent,
  page: Page,
  fields: Record<string, string | readonly string[]> = {},
): Promise<Page> {
  return agent.submit(formWith(page, "password"), { password: NEW_PASSWORD, again: NEW_PASSWORD, ...fields });
}
