/**
 * The actions of an owner and an intruder of one account on the pages: signing in, and changing what a session may
 * change.
 */

import { randomUUID } from "node:crypto";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { AUTHENTICATOR, appOf, recoveryCodesOf } from "./authenticator-app.ts";
import { Agent, authorizeUrl, consentForm, formBehindLink, type Page, redeem, refresh } from "./http-browser.ts";
import { type Actor, anActor, type Browser, type Stage } from "./owner-and-intruder.ts";
import { aNetwork } from "./password-guesser.ts";
import { SoftAuthenticator } from "./soft-webauthn-authenticator.ts";
import { PASSWORD, type TestServer } from "./test-server.ts";

const STEP = 30_000;

const has = (page: Page, field: string) => page.forms.find(({ fields }) => fields.has(field));
const optionsOf = ({ text }: Page) =>
  JSON.parse((/data-options="([^"]*)"/.exec(text)?.[1] ?? "{}").replaceAll("&quot;", '"').replaceAll("&amp;", "&"));

/** The actions that both can take. */
export class Deeds {
  protected readonly stage: Stage;
  readonly person: Person;
  readonly owner: Actor;
  readonly intruder: Actor;
  /** The actual password. */
  password = PASSWORD;
  #passwords = 0;

  constructor(stage: Stage, person: Person) {
    this.stage = stage;
    this.person = person;
    const { email } = person;
    this.owner = anActor("owner", [email, email.replace("@", "+other@")]);
    this.intruder = anActor("intruder", [`x-${randomUUID()}@intruder.test`, `y-${randomUUID()}@intruder.test`]);
  }

  protected get server(): TestServer {
    return this.stage.server;
  }

  note(what: string): void {
    this.stage.seen.add(what);
  }

  /** Uses a browser from its own network, so that no limit per network applies. */
  protected async with<T>(actor: Actor, browser: Browser, use: (agent: Agent) => Promise<T>): Promise<T> {
    const agent = new Agent(this.server.issuer, { "x-forwarded-for": aNetwork() });
    for (const [name, value] of browser.cookies) agent.cookies.set(name, value);
    const result = await use(agent);
    browser.cookies = agent.cookies;
    const device = agent.cookies.get("assent_device");
    if (device !== undefined) actor.devices.add(device);
    return result;
  }

  // Signing in.

  async signIn(actor: Actor, browser: Browser, how: "right" | "wrong", way: number): Promise<boolean> {
    return this.with(actor, browser, async (agent) => {
      agent.cookies.delete("assent_session");
      return this.#signInAt(actor, browser, agent, await agent.get("/login"), how, way);
    });
  }

  /** Signs in on a page with the form. True: there is a new session. */
  async #signInAt(
    actor: Actor,
    browser: Browser,
    agent: Agent,
    page: Page,
    how: "right" | "wrong",
    way: number,
  ): Promise<boolean> {
    const form = has(page, "username");
    if (form === undefined) return false;
    const before = agent.cookies.get("assent_session");
    const password = how === "right" ? actor.password : "no password of anybody's";
    const answer = await agent.submit(form, { username: this.person.username, password });
    const at = this.server.now();
    if (agent.cookies.get("assent_session") !== before) {
      browser.proofs = { pwd: at };
      this.note(`${actor.name} by password`);
      return true;
    }
    const step = answer.forms.find(({ fields }) => fields.has("partial"));
    if (step === undefined) return false;
    this.note(`${actor.name} at the second step`);
    return this.#secondStep(actor, browser, agent, answer, at, way);
  }

  async #secondStep(
    actor: Actor,
    browser: Browser,
    agent: Agent,
    page: Page,
    pwd: number,
    way: number,
  ): Promise<boolean> {
    const before = agent.cookies.get("assent_session");
    const isIn = () => agent.cookies.get("assent_session") !== before;
    const [byCode, byRecovery, byKey] = [has(page, "code"), has(page, "recovery"), has(page, "credential")];
    const ways = ["code", "recovery", "key", "later"];
    const first = ways[way % ways.length] ?? "code";
    const order = first === "later" ? ["later"] : [first, ...ways.slice(0, 3)];
    for (const one of order) {
      if (one === "later" && byCode !== undefined) actor.steps.push({ browser, form: byCode });
      if (one === "code" && byCode !== undefined) {
        for (const code of this.#codesOf(actor)) await agent.submit(byCode, { code });
      }
      if (one === "recovery" && byRecovery !== undefined) {
        const recovery = actor.codes.shift();
        if (recovery !== undefined) await agent.submit(byRecovery, { recovery });
      }
      if (isIn()) {
        browser.proofs = { pwd, otp: this.server.now() };
        this.note(`${actor.name} by ${one}`);
        return true;
      }
      if (one === "key" && byKey !== undefined && (await this.#byKey(actor, browser, agent, page))) return true;
    }
    return false;
  }

  /** One unused code of each of the newest apps. */
  *#codesOf(actor: Actor): Generator<string> {
    for (const app of actor.apps.toReversed().slice(0, 2)) {
      this.server.tick(STEP);
      yield app.code();
    }
  }

  /** Tries each of the actor's passkeys on a page that offers passkeys. */
  async #byKey(actor: Actor, browser: Browser, agent: Agent, page: Page): Promise<boolean> {
    const before = agent.cookies.get("assent_session");
    for (const key of actor.keys.toReversed().slice(0, 2)) {
      const form = has(page, "credential");
      if (form === undefined) return false;
      await agent.submit(form, { credential: key.get(optionsOf(page)) });
      if (agent.cookies.get("assent_session") !== before) {
        browser.proofs = { key: this.server.now() };
        this.note(`${actor.name} by passkey`);
        return true;
      }
      // A challenge can be answered only once.
      page = await agent.get("/login");
    }
    return false;
  }

  async signInByKey(actor: Actor, browser: Browser): Promise<boolean> {
    return this.with(actor, browser, async (agent) => {
      agent.cookies.delete("assent_session");
      return this.#byKey(actor, browser, agent, await agent.get("/login"));
    });
  }

  /** Sends the forms of second steps that are still open, with the actor's codes. */
  async finishSteps(actor: Actor): Promise<boolean> {
    let entered = false;
    for (const { browser, form } of actor.steps.splice(0)) {
      await this.with(actor, browser, async (agent) => {
        const before = agent.cookies.get("assent_session");
        for (const code of this.#codesOf(actor)) await agent.submit(form, { code });
        if (agent.cookies.get("assent_session") === before) return;
        // The password was entered when the form was opened, which isn't recorded here. So only the second step of the
        // session is checked.
        browser.proofs = { pwd: this.server.now(), otp: this.server.now() };
        entered = true;
      });
    }
    if (entered) this.note(`${actor.name} finished a step later`);
    return entered;
  }

  // Actions that need a session.

  /**
   * A page that needs a sign-in within the last ten minutes. Signs in again if needed. Undefined: the page isn't shown.
   */
  async #fresh(actor: Actor, browser: Browser, agent: Agent, path: string): Promise<Page | undefined> {
    let page = await agent.get(path);
    if (page.location?.pathname.endsWith("/account/confirm")) {
      const confirm = await agent.follow(page);
      if (!(await this.#signInAt(actor, browser, agent, confirm, "right", 0))) return undefined;
      page = await agent.get(path);
    }
    return page.status === 200 ? page : undefined;
  }

  async addKey(actor: Actor, browser: Browser): Promise<void> {
    await this.with(actor, browser, async (agent) => {
      const page = await this.#fresh(actor, browser, agent, "/account/security/passkeys");
      const form = page && has(page, "credential");
      if (page === undefined || form === undefined) return;
      const key = new SoftAuthenticator(this.server.issuer);
      const name = `${actor.name} ${actor.keys.length}`;
      const done = await agent.submit(form, { name, credential: key.create(optionsOf(page)) });
      if (done.status !== 303) return;
      actor.keys.push(key);
      this.note(`${actor.name} added a passkey`);
    });
  }

  async addApp(actor: Actor, browser: Browser): Promise<void> {
    await this.with(actor, browser, async (agent) => {
      const had = (await this.server.assent.storage.secondFactors.get(this.person)) !== undefined;
      const page = await this.#fresh(actor, browser, agent, AUTHENTICATOR);
      const form = page && has(page, "code");
      if (page === undefined || form === undefined) return;
      const app = appOf(page, this.server);
      const codes = recoveryCodesOf(await agent.submit(form, { code: app.code() }));
      if (codes.length === 0) return;
      actor.apps.push(app);
      actor.codes.splice(0, Number.POSITIVE_INFINITY, ...codes);
      browser.proofs = { ...browser.proofs, otp: this.server.now() };
      this.note(`${actor.name} ${had ? "replaced" : "set up"} an app`);
    });
  }

  /** `what`: the end of the form's action on the security page. */
  async change(actor: Actor, browser: Browser, what: "/passkeys/remove" | "/authenticator/remove" | "/recovery-codes") {
    await this.with(actor, browser, async (agent) => {
      const page = await this.#fresh(actor, browser, agent, "/account/security");
      if (page === undefined) return;
      const form = page.forms.find(({ action }) => action.endsWith(what)) ?? (await formBehindLink(agent, page, what));
      if (form === undefined) return;
      const answer = await agent.submit(form);
      if (answer.location?.pathname.endsWith("/account/confirm")) return;
      const codes = recoveryCodesOf(answer);
      if (codes.length > 0) actor.codes.splice(0, Number.POSITIVE_INFINITY, ...codes);
      this.note(`${actor.name} ${what}`);
    });
  }

  protected newPassword(): string {
    this.#passwords += 1;
    return `seven green umbrellas ${this.#passwords}`;
  }

  async changePassword(actor: Actor, browser: Browser, endAll: boolean): Promise<void> {
    await this.with(actor, browser, async (agent) => {
      const form = has(await agent.get("/account/security/password"), "current_password");
      if (form === undefined) return;
      const password = this.newPassword();
      const ends = endAll ? { end_sessions: "yes", end_apps: "yes" } : { end_sessions: [], end_apps: [] };
      const fields = { current_password: actor.password, password, again: password, ...ends };
      if ((await agent.submit(form, fields)).status !== 303) return;
      actor.password = password;
      this.password = password;
      browser.proofs = { ...browser.proofs, pwd: this.server.now() };
      this.note(`${actor.name} changed the password`);
    });
  }

  async endSessions(actor: Actor, browser: Browser, end: "all" | "others"): Promise<void> {
    await this.with(actor, browser, async (agent) => {
      const page = await agent.get("/account/security");
      const form = page.forms.find(({ action }) => action.endsWith("/sessions"));
      if (form === undefined) return;
      await agent.submit(form, { end });
      this.note(`${actor.name} signed out ${end}`);
    });
  }

  async connect(actor: Actor, browser: Browser, which: number): Promise<void> {
    const client = this.stage.clients[which % 2] ?? this.stage.clients[0];
    await this.with(actor, browser, async (agent) => {
      let page = await agent.follow(await agent.get(authorizeUrl(this.server, client)));
      if (page.location === undefined) {
        if (!page.forms.some(({ action }) => action.endsWith("/consent"))) return;
        page = await agent.submit(consentForm(page), { decision: "allow" });
      }
      if (page.location === undefined) return;
      const { body } = await redeem(this.server, client, page.location);
      if (body.refresh_token === undefined) return;
      actor.tokens.push({ client, token: body.refresh_token });
      this.note(`${actor.name} connected an app`);
    });
  }

  /** Number of the actor's connections that still work. Each continues with its newest token. */
  async refreshAll(actor: Actor): Promise<number> {
    let working = 0;
    for (const held of actor.tokens) {
      const { body } = await refresh(this.server, held.client, held.token);
      if (body.access_token === undefined) continue;
      working += 1;
      held.token = body.refresh_token ?? held.token;
    }
    return working;
  }
}
