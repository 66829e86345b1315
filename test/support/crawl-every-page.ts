/**
 * Every page that people can see, with every form on it, in the browsers of the people who see it. The test performs
 * the actions that lead to each page, then crawls.
 */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { TABLES } from "../../packages/server/src/storage/tables.ts";
import { trust } from "./assertion-requests.ts";
import { formWith, withSecondStep } from "./authenticator-app.ts";
import { addCompany, addMember, decide, type TestCompany } from "./company-staff.ts";
import { aDevice, aDeviceClient, decide as decideDevice, enter } from "./device-actor.ts";
import { OF_EVENTS } from "./front-channel.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  type Form,
  linksOf,
  type Page,
  redeem,
  refresh,
  signIn,
} from "./http-browser.ts";
import { anAuthenticatorOf } from "./recovery-actors.ts";
import { addProvider, ForgingProvider, pressProvider, startServerForProviders } from "./sign-in-providers.ts";
import { smtpTo, startMailbox, type TestMailbox } from "./smtp-server.ts";
import { SoftAuthenticator } from "./soft-webauthn-authenticator.ts";
import { PASSWORD, settle, type TestClient, type TestServer } from "./test-server.ts";

const DAY = 86_400_000;
const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const MOST = 200;

/** A page in somebody's browser. `path`: where to load it again; null: only the previous form leads to it. */
export interface Shown {
  readonly who: string;
  readonly agent: Agent;
  readonly path: string | null;
  readonly page: Page;
}

export interface World {
  readonly admin: Person;
  readonly member: Person;
  /** The admin, the member and all other people. */
  readonly people: readonly Person[];
  readonly company: TestCompany;
  readonly apps: readonly TestClient[];
  readonly pages: readonly Shown[];
}

export interface Service {
  readonly server: TestServer;
  readonly mailbox: TestMailbox;
  /** A provider at which people sign in. */
  readonly there: ForgingProvider;
  stop(): Promise<void>;
}

/**
 * A server on which every page exists: it sends e-mail, allows sign-up, has a host name for passkeys and trusts the
 * proxy in front of it.
 */
export async function startService(): Promise<Service> {
  const mailbox = await startMailbox();
  const config = { smtpUrl: smtpTo(mailbox), signUp: true, companies: "anyone" as const, trustProxy: ["127.0.0.1"] };
  const server = await startServerForProviders({ config, host: "localhost" });
  const there = await ForgingProvider.start(server.now);
  return {
    server,
    mailbox,
    there,
    stop: async () => {
      await server.stop();
      await there.stop();
      await mailbox.stop();
    },
  };
}

let worlds = 0;

export interface WorldOptions {
  /** The text for every field that holds an owner's words. */
  readonly text?: string;
  /** The text for every field that clients and operators write. Default: `text`. */
  readonly appText?: string;
  /**
   * False: the clock doesn't move, so that open requests of other people don't expire. Some old consents are missing
   * then.
   */
  readonly aged?: boolean;
}

/** Visits every page. */
export async function everyPage(service: Service, options: WorldOptions = {}): Promise<World> {
  worlds += 1;
  const builder = new Builder(service, options, worlds);
  return builder.build();
}

class Builder {
  readonly #server: TestServer;
  readonly #mailbox: TestMailbox;
  readonly #there: ForgingProvider;
  readonly #text: string;
  readonly #serial: number;
  readonly #appText: string;
  readonly #aged: boolean;
  readonly #pages: Shown[] = [];
  readonly #people: Person[] = [];

  constructor({ server, mailbox, there }: Service, { text, appText, aged = true }: WorldOptions, serial: number) {
    this.#server = server;
    this.#mailbox = mailbox;
    this.#there = there;
    this.#text = text ?? `Words of somebody, ${serial}`;
    this.#appText = appText ?? this.#text;
    this.#aged = aged;
    this.#serial = serial;
  }

  async build(): Promise<World> {
    const apps = await this.#apps();
    const [admin, member] = [await this.#person(), await this.#person()];
    await this.#apart(admin, apps);
    const company = await this.#company(admin, member, apps);
    await this.#paused(admin, company, apps);
    const agent = await this.#factors(admin);
    await this.#elsewhere(agent);
    await this.#invited(agent, company);
    await this.#crawl("an admin", agent, ["/account", "/account/confirm?to=passkeys", "/logout"]);
    await this.#member(member, company, apps);
    await this.#accounts();
    await this.#byMail();
    await this.#strangers(apps);
    return { admin, member, people: this.#people, company, apps, pages: this.#pages };
  }

  async #person(person: Partial<Person> = {}): Promise<Person> {
    const added = await this.#server.addPerson({ name: this.#text, ...person });
    this.#people.push(added);
    return added;
  }

  /** Uses its own network, so that limits per network don't apply. */
  #agent(at = `192.0.${this.#serial}.${this.#pages.length % 250}`): Agent {
    return new Agent(this.#server.issuer, {
      "x-forwarded-for": at,
      "user-agent": `Mozilla/5.0 ${this.#text.replaceAll(/[^\x20-\x7e]/g, "")}`,
    });
  }

  async #signedIn({ username }: Person): Promise<Agent> {
    const agent = this.#agent();
    await signIn(agent, username);
    return agent;
  }

  #keep(who: string, agent: Agent, page: Page, path: string | null = null): Page {
    if (page.status >= 400) throw new Error(`${who}: ${page.status} ${page.text.slice(0, 400)}`);
    this.#pages.push({ who, agent, page, path });
    return page;
  }

  async #open(who: string, agent: Agent, path: string): Promise<Page> {
    return this.#keep(who, agent, await agent.follow(await agent.get(path)), path);
  }

  async #apps(): Promise<TestClient[]> {
    const [name, identifier] = [`scope-${this.#serial}`, `https://api-${this.#serial}.test`];
    await this.#server.addResource({ identifier, name: this.#appText });
    await this.#server.addScope({ name, description: this.#appText, resource: identifier, sensitive: true });
    await this.#server.addScope({
      name: `sign-${this.#serial}`,
      description: this.#appText,
      resource: identifier,
      acr: "phr",
    });
    // Stores the values directly, as if a check at the entry had missed them.
    const script = "javascript:alert(1)";
    const links = { clientUri: script, policyUri: script, tosUri: script };
    const scopes = ["read", "write", name, `sign-${this.#serial}`];
    return Promise.all(
      Array.from({ length: 8 }, () => this.#server.addClient({ name: this.#appText, scopes, ...links })),
    );
  }

  #url(client: TestClient, changes: Record<string, string> = {}): string {
    return authorizeUrl(this.#server, client, {
      scope: `read write scope-${this.#serial}`,
      state: this.#appText,
      ...changes,
    });
  }

  /** Allows an owner's apps: enough for the page to show a search, and a permission that is never used. */
  async #apart(person: Person, apps: readonly TestClient[]): Promise<void> {
    const agent = await this.#signedIn(person);
    for (const [at, app] of apps.slice(0, 7).entries()) {
      // One permission is declined for one app, so that the page offers to let the app ask again.
      const declines = at === 1 ? { scope: ["read"] } : {};
      const callback = await authorize(agent, this.#url(app), person.username, { duration: "forever", ...declines });
      const { body } = await redeem(this.#server, app, callback);
      if (at > 0 || !this.#aged) continue;
      this.#server.tick(8 * DAY);
      await signIn(agent, person.username);
      await refresh(this.#server, app, body.refresh_token, { scope: "read" });
    }
  }

  /** One app of the admin and one of the company wait, so that there are forms to pause and to resume. */
  async #paused(
    admin: Person,
    company: TestCompany,
    [, , mine, , , theirs, others]: readonly TestClient[],
  ): Promise<void> {
    if (mine === undefined || theirs === undefined || others === undefined) throw new Error("no apps");
    const agent = await this.#signedIn(admin);
    for (const [app, owner] of [
      [others, admin.personId] as const,
      ...[theirs, others].map((one) => [one, company.companyId] as const),
    ]) {
      const url = this.#url(app, { prompt: "consent", scope: "read" });
      await redeem(this.#server, app, await authorize(agent, url, admin.username, { owner }));
    }
    const { storage } = this.#server.assent;
    const change = { paused: true, now: this.#server.now() };
    const { partition, personId: by } = admin;
    await storage.consents.setPaused({ ...change, partition, ownerId: by, clientId: mine.clientId, by });
    const { partition: at, companyId } = company;
    await storage.companyApps.setPaused({ ...change, partition: at, companyId, clientId: theirs.clientId, by });
  }

  async #company(
    admin: Person,
    member: Person,
    [allowed, blocked, wished]: readonly TestClient[],
  ): Promise<TestCompany> {
    const company = await addCompany(this.#server, { name: this.#text });
    await addMember(this.#server, company, admin, "admin");
    await addMember(this.#server, company, member);
    if (allowed === undefined || blocked === undefined || wished === undefined) throw new Error("no apps");
    await decide(this.#server, company, allowed, {});
    await decide(this.#server, company, blocked, { rule: "block" });
    const { partition, companyId } = company;
    const now = this.#server.now();
    const { companySignIn } = this.#server.assent.storage;
    const domain = `${company.slug}.test`;
    await companySignIn.set({
      partition,
      companyId,
      ownProvider: true,
      addDomains: [domain],
      removeDomains: [],
      now: Date.now(),
    });
    await companySignIn.putProvider({
      ...{ partition, companyId, by: null, seen: null, most: 1_000, step: "connected", now },
      provider: {
        ...{ id: `p-${company.slug}`, name: this.#text, issuer: "https://login.acme.test", clientId: "assent" },
        ...{ sealedSecret: null, scopes: ["openid"], roles: null, status: "disabled", triedAt: now },
        ...{ createdAt: now, changedAt: now },
      },
    });
    await this.#connection(company);
    const wish = { partition, companyId, clientId: wished.clientId, personId: member.personId, scopes: ["read"] };
    await this.#server.assent.storage.companyApps.askApproval({ ...wish, reason: this.#text, now: this.#server.now() });
    return company;
  }

  /** An app that the operator offers to connect with another server, and that is connected. */
  async #connection({ partition, companyId }: TestCompany): Promise<void> {
    const audience = `https://as-${this.#serial}.test`;
    const texts = { "chat:read": this.#appText };
    const offer = { audience, company: null, clientId: "there", scopes: ["chat:read"], resources: [], texts };
    const { clientId } = await this.#server.addClient({
      ...{ name: this.#appText, grantTypes: ["authorization_code", TOKEN_EXCHANGE] },
      tokenExchange: {
        ...{ subjects: [], sources: [], audiences: [], scopes: [], actors: [], impersonation: false },
        connections: [{ ...offer, status: "offered", name: this.#appText }],
      },
    });
    const { scopes, resources } = offer;
    const now = this.#server.now();
    await this.#server.assent.storage.companyConnections.put({
      ...{ partition, companyId, clientId, audience, endsAt: now + 90 * DAY, seen: null, by: null, now },
      record: {
        ...{ clientIdThere: "there", scopes, resources, texts },
        ...{ clientName: this.#appText, serverName: this.#appText },
      },
    });
  }

  /**
   * Adds an authenticator app, a passkey, an identity from a trusted issuer, another session, and a recent sign-in with
   * all its steps.
   */
  async #factors(person: Person): Promise<Agent> {
    const { app } = await withSecondStep(this.#server, person);
    const agent = this.#agent();
    const second = await signIn(agent, person.username);
    await agent.follow(await agent.submit(formWith(second, "code"), { code: app.code() }));
    const page = await agent.get("/account/security/passkeys");
    const options = /data-options="([^"]*)"/.exec(page.text)?.[1]?.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
    const key = new SoftAuthenticator(this.#server.issuer);
    const fields = { name: this.#text.slice(0, 60), credential: key.create(JSON.parse(options ?? "")) };
    await agent.submit(formWith(page, "credential"), fields);
    await this.#identity(person);
    const { partition, personId } = person;
    const picture = { pictureId: randomBytes(16).toString("base64url"), type: "image/webp", bytes: new Uint8Array(12) };
    await this.#server.assent.storage.pictures.set({ partition, personId, picture, now: this.#server.now() });
    const half = this.#agent();
    this.#keep("half signed in", half, await signIn(half, person.username));
    this.#server.tick(60_000);
    return agent;
  }

  async #identity({ partition, personId }: Person): Promise<void> {
    const { id: issuerId } = await trust(this.#server, { issuer: `https://idp-${this.#serial}.test`, type: "jwt" });
    const subject = { issuerId, claim: null, subject: personId };
    const link = { partition, personId, subject, sole: false, madeBy: "operator", now: this.#server.now() } as const;
    await this.#server.assent.storage.subjectLinks.link(link);
    await settle();
  }

  /** A provider that is not connected, and the question whether to connect it. */
  async #elsewhere(agent: Agent): Promise<void> {
    const provider = await addProvider(this.#server, this.#there.issuer, { name: this.#appText });
    const sub = `elsewhere-${this.#serial}`;
    this.#there.answering = { claims: { sub, email: undefined, preferred_username: this.#text }, userInfo: { sub } };
    const begun = await pressProvider(agent, await agent.get("/account/security"), provider);
    const { location } = await agent.get(this.#there.callback(begun));
    if (location?.pathname !== "/account/security/connect") throw new Error(`no question: ${location?.href}`);
    await this.#open("an admin", agent, location.pathname + location.search);
  }

  async #invited(admin: Agent, { slug }: TestCompany): Promise<void> {
    const guest = await this.#person();
    const page = await admin.get(`/company/${slug}/members`);
    const made = await admin.submit(formWith(page, "addressee"), { addressee: guest.email });
    this.#keep("an admin", admin, made);
    const path = /\/invitation\?token=[\w-]+/.exec(made.text)?.[0] ?? "";
    await this.#withoutAccount("a stranger with an invitation", this.#agent(), path);
    await this.#open("a guest", await this.#signedIn(guest), path);
  }

  /** The pages that a member sees: the company's pages, a request to its admins, devices. */
  async #member(person: Person, company: TestCompany, apps: readonly TestClient[]): Promise<void> {
    const who = "a member";
    const address = `203.0.113.${this.#serial}`;
    const agent = this.#agent(address);
    await signIn(agent, person.username);
    const [approved, , , wanted, strong] = apps;
    if (approved === undefined || wanted === undefined || strong === undefined) throw new Error("no apps");
    // Allowed in the company's name without asking an admin, so that the member can revoke it.
    await authorize(agent, this.#url(approved, { scope: "read" }), person.username, { owner: company.companyId });
    await this.#crawl(who, agent, ["/account", `/company/${company.slug}`]);
    const consent = await this.#open(who, agent, this.#url(wanted));
    const answer = { decision: "allow", owner: company.companyId };
    const asking = this.#keep(who, agent, await agent.submit(consentForm(consent), answer));
    this.#keep(who, agent, await agent.submit(formWith(asking, "owner"), { reason: this.#text }));
    await this.#open(who, agent, this.#url(strong, { acr_values: "phr" }));
    await this.#open(who, agent, this.#url(strong, { scope: `sign-${this.#serial}` }));

    const tv = await aDeviceClient(this.#server, { name: this.#appText });
    const near = { "x-forwarded-for": address };
    const [device, far] = [
      await aDevice(this.#server, tv, {}, near),
      await aDevice(this.#server, tv, {}, { "x-forwarded-for": "198.51.100.7" }),
    ];
    this.#keep(who, agent, await enter(agent, device.userCode, person.username));
    this.#keep(who, agent, await decideDevice(agent, device.userCode, person.username, { owner: company.companyId }));
    this.#keep(who, agent, await enter(agent, far.userCode, person.username));
  }

  /** People who have to verify an address, who are leaving, or who must choose a password. */
  async #accounts(): Promise<void> {
    const unproved = await this.#signedIn(await this.#person({ emailVerifiedAt: null }));
    await this.#open("somebody without a proved address", unproved, "/account/profile");
    const leaving = await this.#signedIn(await this.#person({ deleteAt: this.#server.now() + DAY }));
    await this.#open("somebody who leaves", leaving, "/account/profile");
    const must = await this.#signedIn(await this.#person({ mustChangePassword: true }));
    await this.#open("somebody with a password of the operator's", must, "/account/security/password");
  }

  async #byMail(): Promise<void> {
    const [forgetful, moving, moved, unproved] = [
      await this.#person(),
      await this.#person(),
      await this.#person(),
      await this.#person({ emailVerifiedAt: null }),
    ];
    const ask = async (agent: Agent, path: string, field: string, value: string, to = value) => {
      const page = await agent.get(path);
      await agent.submit(formWith(page, field), { [field]: value, current_password: PASSWORD });
      return this.#link(to);
    };
    const follow = (link: string) => this.#open("a reader of mail", this.#agent(), link);
    await follow(await ask(this.#agent(), "/recover", "login", forgetful.username, forgetful.email));
    await follow(await ask(this.#agent(), "/sign-up", "email", `new-${this.#serial}@example.test`));
    const away = (name: string) => `${name}-${this.#serial}@example.test`;
    await follow(await ask(await this.#in(moving), "/account/profile", "email", away("moving")));
    const agent = await this.#in(moved);
    const change = await agent.get(await ask(agent, "/account/profile", "email", away("moved")));
    await agent.submit(formWith(change, "link"));
    await follow(await this.#link(moved.email));
    const prover = await this.#in(unproved);
    const verify = (await prover.get("/account/profile")).forms.find(({ action }) => action.endsWith("/verify"));
    if (verify === undefined) throw new Error("no form to have a link sent");
    await prover.submit(verify);
    await follow(await this.#link(unproved.email));
    await this.#takenBack();
  }

  /**
   * People with an authenticator app. One must prove the app of the first browser to recover the account; the app that
   * a newer browser added is removed.
   */
  async #takenBack(): Promise<void> {
    const [proving, moved, robbed] = [await this.#person(), await this.#person(), await this.#person()];
    const reader = this.#agent();
    const opened = async (link: string) => this.#open("a reader of mail", reader, link);
    const recover = async ({ username, email }: Person) => {
      await reader.submit(formWith(await reader.get("/recover"), "login"), { login: username });
      return this.#linkTo("/recover/new", email);
    };
    await anAuthenticatorOf(await this.#signedIn(proving), this.#server);
    await opened(await recover(proving));
    const owner = await this.#signedIn(moved);
    await anAuthenticatorOf(owner, this.#server);
    const email = `away-${this.#serial}@example.test`;
    const profile = formWith(await owner.get("/account/profile"), "email");
    await owner.submit(profile, { email, current_password: PASSWORD });
    await owner.submit(formWith(await owner.get(await this.#linkTo("/confirm/change", email)), "link"));
    await opened(await this.#linkTo("/undo", moved.email));
    await this.#signedIn(robbed);
    await anAuthenticatorOf(await this.#signedIn(robbed), this.#server);
    const decision = await reader.get(await recover(robbed));
    const told = await reader.submit(formWith(decision, "password"), { password: NEW, again: NEW });
    this.#keep("a reader of mail", reader, told);
    await opened(await this.#linkTo("/recover/undo", robbed.email));
  }

  /** The next link to this page in the messages to somebody. */
  async #linkTo(path: string, to: string): Promise<string> {
    for (;;) {
      const link = await this.#link(to);
      if (new URL(link).pathname.endsWith(path)) return link;
    }
  }

  /** Signs in, and reads the message about it. */
  async #in(person: Person): Promise<Agent> {
    const agent = await this.#signedIn(person);
    if (person.emailVerifiedAt !== null) await this.#mailbox.next(person.email);
    return agent;
  }

  async #link(to: string): Promise<string> {
    return (await this.#mailbox.next(to)).link;
  }

  async #strangers([app]: readonly TestClient[]): Promise<void> {
    const agent = this.#agent();
    await this.#crawl("a stranger", agent, ["/login", "/device", "/sign-up", "/recover", "/receipts/verify"]);
    if (app === undefined) throw new Error("no apps");
    await this.#withoutAccount("a stranger", agent, this.#url(app, { login_hint: this.#text }));
    await this.#open("a stranger", agent, "/errors/invalid_client");
    const unreviewed = await this.#server.addClient({ name: this.#appText, reviewed: false });
    await this.#open("a stranger", agent, this.#url(unreviewed, { scope: "no such scope" }));
  }

  /** A sign-in page of a pending request, and its links for people without an account or a password. */
  async #withoutAccount(who: string, agent: Agent, path: string): Promise<void> {
    const page = await this.#open(who, agent, path);
    for (const href of linksOf(page).filter((one) => /\/(sign-up|recover)\?/.test(one))) {
      await this.#open(who, agent, href);
    }
  }

  /** Follows every link of this server and every GET form. Opens each kind of address once. */
  async #crawl(who: string, agent: Agent, from: readonly string[]): Promise<void> {
    const kinds = new Set<string>();
    const waiting = [...from];
    for (let next = waiting.shift(); next !== undefined && this.#pages.length < MOST; next = waiting.shift()) {
      const url = new URL(next, this.#server.issuer);
      const kind = `${url.pathname}?${[...url.searchParams.keys()].sort()}`;
      if (url.origin !== this.#server.issuer || kinds.has(kind)) continue;
      kinds.add(kind);
      const page = await agent.follow(await agent.get(url.href));
      if (!page.headers.get("content-type")?.startsWith("text/html")) continue;
      this.#keep(who, agent, page, url.pathname + url.search);
      waiting.push(...linksOf(page), ...questionsOf(page));
    }
  }
}

/** The addresses of GET forms, as written in the page. */
function questionsOf({ forms }: Page): readonly string[] {
  return forms
    .filter(({ method }) => method === "get")
    .map(({ action, fields, buttons }) => {
      const all = new URLSearchParams(fields);
      for (const [name, value] of buttons.slice(0, 1)) all.append(name, value);
      return `${action}?${all}`;
    });
}

/** A form on one of the pages. */
export interface Found {
  readonly who: string;
  readonly agent: Agent;
  readonly form: Form;
  /** The browser's session at that time. Undefined: none. */
  readonly session: string | undefined;
}

/** POST forms by the path of their route. */
export function formsOf(pages: readonly Shown[]): ReadonlyMap<string, readonly Found[]> {
  const all = pages.flatMap(({ who, agent, page }) =>
    page.forms
      .filter(({ method }) => method === "post")
      .map((form) => ({ who, agent, form, session: agent.cookies.get("assent_session") })),
  );
  return Map.groupBy(all, ({ form }) => routeOf(form.action));
}

/** The path of a form, as the route table writes it. */
export function routeOf(action: string): string {
  return new URL(action, "http://localhost").pathname.replace(/^\/company\/[^/]+(\/apps\/[^/]+$)?/, (_, app) =>
    app === undefined ? "/company/:slug" : "/company/:slug/apps/:client",
  );
}

/** Forms that end a session or an account. They are tried last, because other forms depend on it. */
export const ENDS = /sign-out|logout|switch|sessions|password|delete|leave|undo|remove|confirm/;

/** One form of each kind: the same fields and buttons. */
export function looksOf(forms: readonly Found[]): readonly Found[] {
  const look = ({ form }: Found) =>
    [...form.fields.keys(), ...form.buttons.map(([name, value]) => `${name}=${value.slice(0, 9)}`)].sort().join();
  return [...new Map(forms.map((one) => [look(one), one])).values()];
}

const NEW = "seven green umbrellas";
/** The values that a person types into empty fields. */
const TYPED: Readonly<Record<string, string>> = {
  ...{ current_password: PASSWORD, password: NEW, again: NEW, code: "123456", recovery: "aaaa-bbbb-cccc" },
  ...{ username: "mallory", email: "mallory@example.test", login: "mallory", addressee: "mallory@example.test" },
  ...{ name: "Mallory", reason: "Because", user_code: "BBBB-BBBB" },
};

export function filled({ fields, buttons }: Form): Record<string, string> {
  const typed = [...fields].filter(([name, value]) => value === "" || name === "name");
  return {
    ...Object.fromEntries(typed.map(([name]) => [name, TYPED[name] ?? "x"])),
    ...Object.fromEntries(buttons.slice(0, 1)),
  };
}

/** Columns that change without a form: the last use of a session, a message that was sent. */
const MOVING: Readonly<Record<string, readonly string[]>> = {
  sessions: ["last_seen_at", "idle_until", "user_agent", "address"],
  outbox: ["sealed", "status", "tries", "due_at", "fault"],
};

/** A refused form leaves its reason for the operator, and events are written later. */
const ELSEWHERE: readonly string[] = ["refusals", ...OF_EVENTS];

/** Every row of the database, without the columns that change without a form, and without the reasons of refusals. */
export function rowsOf({ dataDir }: TestServer): string[] {
  const database = new DatabaseSync(join(dataDir, "assent.db"), { readOnly: true });
  const all = TABLES.filter(({ name }) => !ELSEWHERE.includes(name)).flatMap(({ name }) =>
    database
      .prepare(`SELECT * FROM ${name}`)
      .all()
      .map(
        (row) => `${name} ${JSON.stringify(Object.entries(row).filter(([column]) => !MOVING[name]?.includes(column)))}`,
      ),
  );
  database.close();
  return all.sort();
}
