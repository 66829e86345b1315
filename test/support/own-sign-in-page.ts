/** The back end of an operator's own sign-in page, as tests play it. */

import { randomBytes } from "node:crypto";
import type { ExternalSignIn } from "../../packages/server/src/owners/identities/external-sign-in.ts";
import type { Agent, Page } from "./http-browser.ts";
import { startServer, type TestClient, type TestServer, type TestServerOptions } from "./test-server.ts";

export const PAGE = "https://acme.test/sign-in";

export interface WithPage {
  readonly server: TestServer;
  readonly backEnd: TestClient;
}

/** A server whose people sign in at the page. */
export async function startWithPage(
  page: Partial<ExternalSignIn> = {},
  { config, ...options }: TestServerOptions = {},
): Promise<WithPage> {
  const externalSignIn = { url: PAGE, name: "Acme", clients: ["acme"], ...page };
  const server = await startServer({ ...options, config: { externalSignIn, ...config } });
  return { server, backEnd: await server.addClient({ clientId: "acme" }) };
}

export type Fields = Readonly<Record<string, string | undefined>>;

export interface BackEndAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A call of the back end. `by`: the client that makes it. */
export async function callAs(
  { server, backEnd }: WithPage,
  what: "challenge" | "accept" | "reject",
  fields: Fields | URLSearchParams,
  by: Pick<TestClient, "clientId" | "secret"> = backEnd,
): Promise<BackEndAnswer> {
  const body = fields instanceof URLSearchParams ? fields : new URLSearchParams();
  if (!(fields instanceof URLSearchParams))
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) body.set(name, value);
  const answer = await fetch(`${server.issuer}/external-sign-in/${what}`, {
    method: "POST",
    headers: {
      authorization: `Basic ${Buffer.from(`${by.clientId}:${by.secret}`).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: body.toString(),
  });
  return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, unknown>> };
}

/** The challenge with which a browser was sent to the page, by a redirect or by a page that leads there. */
export function challengeOf(page: Page): string {
  return challengeIn(page, PAGE);
}

/** The same, for a page at another address. */
export function challengeIn(page: Page, own: string): string {
  const refresh = page.headers.get("refresh")?.replace(/^0; url=/, "");
  const address = page.location ?? (refresh === undefined ? undefined : new URL(refresh));
  const challenge = address?.href.startsWith(own) ? address.searchParams.get("challenge") : null;
  if (challenge == null) throw new Error(`no way to the page: ${page.status} ${page.text.slice(0, 300)}`);
  return challenge;
}

/** Presses the button of the page. */
export function pressOwnPage(agent: Agent, page: Page): Promise<Page> {
  const form = page.forms.find(({ buttons }) => buttons.some(([, value]) => value === "external"));
  if (form === undefined) throw new Error(`no button: ${page.status} ${page.text.slice(0, 300)}`);
  return agent.submit(form, { provider: "external" });
}

/** What the page says of somebody who has just signed in there. */
export function anAccept(at: Pick<TestServer, "now">, changes: Fields = {}): Fields {
  const subject = `user-${randomBytes(4).toString("hex")}`;
  return { subject, auth_time: String(Math.floor(at.now() / 1000)), preferred_username: subject, ...changes };
}

/** Accepts the challenge of a redirect, and returns the address for the browser. */
export async function accepted(at: WithPage, begun: Page, fields: Fields = anAccept(at.server)): Promise<string> {
  const answer = await callAs(at, "accept", { challenge: challengeOf(begun), ...fields });
  const { redirect_to: to } = answer.body;
  if (typeof to !== "string") throw new Error(`not accepted: ${answer.status} ${JSON.stringify(answer.body)}`);
  return to;
}

/** Follows the browser from the way to the page until it is back. */
export async function signInAtPage(at: WithPage, agent: Agent, begun: Page, fields?: Fields): Promise<Page> {
  return agent.follow(await agent.get(await accepted(at, begun, fields)));
}
