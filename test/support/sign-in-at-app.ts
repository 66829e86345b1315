/** A person signs in at an app that sends them to Assent. */

import { Agent, authorize, type Page } from "./http-browser.ts";

/** A browser that is signed in at the app. */
export interface AtApp {
  /** The browser's cookies at the app. */
  readonly visitor: Agent;
  /** The browser's cookies at Assent. */
  readonly owner: Agent;
  /** The claims that the app's first page shows as JSON. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Opens the app's page, signs in at Assent, allows, and goes back to the app. */
export async function signInAtApp(app: string, issuer: string, username: string): Promise<AtApp> {
  // As browsers ask, so that an app may answer with JSON.
  const visitor = new Agent(app, { accept: "text/html,*/*;q=0.8" });
  const owner = new Agent(issuer);
  const callback = await authorize(owner, (await linkOf(visitor, issuer)).href, username);
  const page = await visitor.follow(await visitor.get(callback.href));
  // The JSON may stand in a page.
  const [, shown = page.text] = /<pre>(.*?)<\/pre>/.exec(page.text) ?? [];
  try {
    return { visitor, owner, claims: JSON.parse(shown.replaceAll("&quot;", '"')) };
  } catch {
    throw new Error(`no claims: ${page.status} ${page.text.slice(0, 500)}`);
  }
}

/** The link to Assent, also behind a page with a button. */
async function linkOf(visitor: Agent, issuer: string): Promise<URL> {
  let page: Page = await visitor.follow(await visitor.get("/"));
  const [form] = page.forms;
  if (page.location === undefined && form !== undefined) page = await visitor.follow(await visitor.submit(form));
  if (page.location?.origin !== new URL(issuer).origin) {
    throw new Error(`the app doesn't lead to Assent: ${page.status} ${page.location} ${page.text.slice(0, 500)}`);
  }
  return page.location;
}
