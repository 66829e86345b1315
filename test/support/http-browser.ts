/** A browser without a screen: keeps cookies, doesn't follow redirects by itself, and reads the forms of pages. */

import { createHash, randomBytes } from "node:crypto";
import { PASSWORD, type TestClient, type TestServer } from "./test-server.ts";

export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Absolute. Undefined: no redirect. */
  readonly location: URL | undefined;
  /** The forms of the page, in order. */
  readonly forms: readonly Form[];
}

export interface Form {
  readonly action: string;
  readonly method: string;
  /** The fields that a browser would submit, without any button. */
  readonly fields: URLSearchParams;
  /** Names and values of the buttons that have a name. */
  readonly buttons: readonly (readonly [string, string])[];
}

/** Cookies by name, for one host. */
export class Agent {
  readonly base: string;
  readonly cookies = new Map<string, string>();
  readonly #headers: Record<string, string>;

  constructor(base: string, headers: Record<string, string> = {}) {
    this.base = base;
    this.#headers = headers;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.request("GET", path, undefined, headers);
  }

  post(
    path: string,
    fields: URLSearchParams | Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Page> {
    return this.request("POST", path, new URLSearchParams(fields), headers);
  }

  /** Submits a form as a browser does, with added or overridden fields. */
  submit(form: Form, fields: Record<string, string | readonly string[]> = {}): Promise<Page> {
    const body = new URLSearchParams(form.fields);
    for (const [name, value] of Object.entries(fields)) {
      body.delete(name);
      for (const one of [value].flat()) body.append(name, one);
    }
    const method = form.method.toUpperCase();
    return method === "GET" ? this.get(`${form.action}?${body}`) : this.request(method, form.action, body);
  }

  async request(
    method: string,
    path: string,
    body?: URLSearchParams | FormData | string,
    headers: Record<string, string> = {},
  ): Promise<Page> {
    const url = new URL(path, this.base);
    const response = await fetch(url, {
      method,
      redirect: "manual",
      headers: {
        accept: "text/html",
        ...(this.cookies.size > 0
          ? { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ") }
          : {}),
        ...this.#headers,
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const text = await response.text();
    const location = response.headers.get("location");
    return {
      status: response.status,
      headers: response.headers,
      text,
      location: location === null ? undefined : new URL(location, url),
      forms: formsOf(text),
    };
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split(";");
    const equals = pair.indexOf("=");
    const name = pair.slice(0, equals);
    if (attributes.some((one) => one.trim().toLowerCase() === "max-age=0")) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(equals + 1));
  }

  /** Follows redirects on this server until a page or a redirect to another host. */
  async follow(page: Page): Promise<Page> {
    let current = page;
    for (
      let hops = 0;
      current.location !== undefined && current.location.origin === new URL(this.base).origin;
      hops += 1
    ) {
      if (hops > 10) throw new Error("redirects without end");
      current = await this.get(current.location.href);
    }
    return current;
  }
}

/** The forms of a page, in order. */
export function formsOf(text: string): Form[] {
  return [...text.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, attributes = "", inner = ""]) => ({
    action: unescaped(attribute(attributes, "action") ?? ""),
    method: attribute(attributes, "method") ?? "get",
    fields: fieldsOf(inner),
    buttons: [...inner.matchAll(/<button\b([^>]*)>/g)].flatMap(([, one = ""]) => {
      const name = attribute(one, "name");
      return name === undefined ? [] : [[unescaped(name), unescaped(attribute(one, "value") ?? "")] as const];
    }),
  }));
}

function fieldsOf(inner: string): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [, attributes = ""] of inner.matchAll(/<input\b([^>]*?)\/?>/g)) {
    const name = attribute(attributes, "name");
    const type = attribute(attributes, "type") ?? "text";
    if (name === undefined || /\sdisabled(\s|=|$)/.test(` ${attributes} `)) continue;
    if ((type === "checkbox" || type === "radio") && !/\schecked(\s|=|$)/.test(` ${attributes} `)) continue;
    if (type === "submit") continue;
    fields.append(unescaped(name), unescaped(attribute(attributes, "value") ?? (type === "checkbox" ? "on" : "")));
  }
  for (const [, attributes = "", options = ""] of inner.matchAll(/<select\b([^>]*)>([\s\S]*?)<\/select>/g)) {
    const name = attribute(attributes, "name");
    const all = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, one = ""]) => one);
    const chosen = all.find((one) => /\sselected/.test(` ${one}`)) ?? all[0];
    if (name !== undefined && chosen !== undefined) fields.append(name, unescaped(attribute(chosen, "value") ?? ""));
  }
  return fields;
}

/** The form whose action ends with this path. */
export function formTo(page: Page, place: string): Form {
  const form = page.forms.find(({ action }) => action.endsWith(place));
  if (form === undefined) throw new Error(`no form to ${place}: ${page.status} ${page.text.slice(0, 300)}`);
  return form;
}

/** The addresses of a page's links, as written in the page. */
export function linksOf({ text }: Page): readonly string[] {
  return [...text.matchAll(/<a\b([^>]*)>/g)].flatMap(([, one = ""]) => {
    const href = attribute(one, "href");
    return href === undefined ? [] : [unescaped(href)];
  });
}

function attribute(attributes: string, name: string): string | undefined {
  return new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1];
}

function unescaped(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** The form to this place on the page that a link to the same place opens. Undefined: there is no such link. */
export async function formBehindLink(agent: Agent, page: Page, place: string): Promise<Form | undefined> {
  const link = linksOf(page).find((href) => new URL(href, agent.base).pathname.endsWith(place));
  return link === undefined ? undefined : formTo(await agent.get(link), place);
}

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function pkce(): Pkce {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** Parameters of a valid authorization request. Undefined removes a parameter. */
export function authorizeUrl(
  server: Pick<TestServer, "issuer">,
  client: Pick<TestClient, "clientId" | "redirectUris">,
  changes: Record<string, string | undefined> = {},
): string {
  const parameters: Record<string, string | undefined> = {
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: client.redirectUris[0],
    scope: "read",
    state: "a state",
    ...changes,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.append(name, value);
  return `${server.issuer}/authorize?${query}`;
}

/** Signs in on this page (or `/login`), and returns the next page or redirect. */
export async function signIn(agent: Agent, username: string, page?: Page): Promise<Page> {
  const shown = page ?? (await agent.get("/login"));
  const form = shown.forms.find(({ fields }) => fields.has("username"));
  if (form === undefined) throw new Error(`no sign-in form: ${shown.status} ${shown.text.slice(0, 300)}`);
  return agent.follow(await agent.submit(form, { username, password: PASSWORD }));
}

/** The consent form of a page. */
export function consentForm(page: Page): Form {
  const form = page.forms.find(({ action }) => action.endsWith("/consent"));
  if (form === undefined)
    throw new Error(`no consent form: ${page.status} ${page.location} ${page.text.slice(0, 300)}`);
  return form;
}

/** Goes from the link to the code: signs in if asked, allows if asked. Returns the redirect to the client. */
export async function authorize(
  agent: Agent,
  url: string,
  username: string,
  answer: Record<string, string | readonly string[]> = {},
): Promise<URL> {
  let page = await agent.follow(await agent.get(url));
  if (page.location === undefined && page.forms.some(({ fields }) => fields.has("username")))
    page = await signIn(agent, username, page);
  if (page.location === undefined) page = await agent.submit(consentForm(page), { decision: "allow", ...answer });
  // Another owner than the page showed, who has allowed less so far: the page comes again, about that owner.
  if (page.text.includes("You changed for whom you allow this"))
    page = await agent.submit(consentForm(page), { decision: "allow", ...answer });
  if (page.location === undefined) throw new Error(`no answer: ${page.status} ${page.text.slice(0, 500)}`);
  return page.location;
}

/** A text without the numbers of refusals: two answers that must not be told apart are equal but for these. */
export function unnumbered(text: string): string {
  const numbers = [...text.matchAll(/(?:\/errors\/\w+\?id=|<code>)([\w-]{16})(?![\w-])/g)].map(
    ([, number = ""]) => number,
  );
  return numbers.reduce((rest, number) => rest.replaceAll(number, "…"), text);
}

export interface TokenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown> & {
    error?: string;
    access_token?: string;
    refresh_token?: string;
    scope?: string;
    expires_in?: number;
  };
}

/** Posts a form to an endpoint, with the client's secret by HTTP Basic unless `client` is null or public. */
export async function postForm(
  server: Pick<TestServer, "issuer">,
  path: string,
  client: Pick<TestClient, "clientId" | "secret"> | null,
  fields: Record<string, string | undefined>,
  headers: Record<string, string> = {},
): Promise<TokenAnswer> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) body.append(name, value);
  const credentials: Record<string, string> =
    client !== null && client.secret !== ""
      ? {
          authorization: `Basic ${Buffer.from(`${encodeURIComponent(client.clientId)}:${encodeURIComponent(client.secret)}`).toString("base64")}`,
        }
      : {};
  if (client !== null && client.secret === "") body.append("client_id", client.clientId);
  const response = await fetch(`${server.issuer}${path}`, {
    method: "POST",
    body,
    headers: { ...credentials, ...headers },
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? {} : (JSON.parse(text) as TokenAnswer["body"]),
  };
}

/** Redeems the code of a callback. */
export function redeem(
  server: Pick<TestServer, "issuer">,
  client: Pick<TestClient, "clientId" | "secret" | "redirectUris">,
  callback: URL | string,
  fields: Record<string, string | undefined> = {},
): Promise<TokenAnswer> {
  const code = typeof callback === "string" ? callback : (callback.searchParams.get("code") ?? undefined);
  return postForm(server, "/token", client, {
    grant_type: "authorization_code",
    code,
    redirect_uri: client.redirectUris[0],
    ...fields,
  });
}

export function refresh(
  server: Pick<TestServer, "issuer">,
  client: Pick<TestClient, "clientId" | "secret">,
  refreshToken: string | undefined,
  fields: Record<string, string | undefined> = {},
): Promise<TokenAnswer> {
  return postForm(server, "/token", client, { grant_type: "refresh_token", refresh_token: refreshToken, ...fields });
}
