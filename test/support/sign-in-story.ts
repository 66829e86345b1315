/** The steps of an owner and an intruder of one account on the pages, and the conditions that must always hold. */

import type { Person } from "../../packages/server/src/owners/storage.ts";
import type { Agent, Page } from "./http-browser.ts";
import { type Actor, aBrowser, type Browser, type Proofs, type Stage } from "./owner-and-intruder.ts";
import { Deeds } from "./sign-in-actions.ts";

const MINUTE = 60_000;
const STEP = 30_000;

const has = (page: Page, field: string) => page.forms.find(({ fields }) => fields.has(field));
const optionsOf = ({ text }: Page) =>
  JSON.parse((/data-options="([^"]*)"/.exec(text)?.[1] ?? "{}").replaceAll("&quot;", '"').replaceAll("&amp;", "&"));

export class Story extends Deeds {
  /** Messages that were read. */
  readonly #read = new Map<string, number>();

  /** An account whose owner signed in with two browsers, more than a week ago. */
  static async begin(stage: Stage): Promise<Story> {
    const story = new Story(stage, await stage.server.addPerson());
    const { owner } = story;
    for (const browser of owner.browsers) await story.signIn(owner, browser, "right", 0);
    stage.server.tick(8 * 24 * 60 * MINUTE);
    return story;
  }

  // Messages.

  /** Links in messages to the actor, the oldest first: with this path, or all. */
  links(actor: Actor, path?: string): readonly string[] {
    const messages = actor.addresses.flatMap((address) => this.stage.mailbox.to(address));
    const links = messages.map(({ link }) => link).filter((link) => link.includes("link=ml_"));
    return path === undefined ? links : links.filter((link) => new URL(link).pathname === path);
  }

  /** The next link with this path that was requested for an address. */
  async #nextLink(address: string, path: string): Promise<string | undefined> {
    const key = `${address} ${path}`;
    const seen = this.#read.get(key) ?? 0;
    for (let tries = 0; tries < 500; tries += 1) {
      const links = this.stage.mailbox
        .to(address)
        .map(({ link }) => link)
        .filter((link) => link.startsWith(`${this.server.issuer}${path}?link=`));
      const link = links[seen];
      if (link !== undefined) {
        this.#read.set(key, links.length);
        return link;
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return undefined;
  }

  /** Afterwards, the account's address is another one of the actor's. */
  async changeEmail(actor: Actor, browser: Browser): Promise<void> {
    const email = actor.addresses.find((one) => one !== (this.#email ?? this.person.email)) ?? "";
    this.server.tick(61 * MINUTE);
    const { email: before } = await this.#current();
    await this.with(actor, browser, async (agent) => {
      const form = has(await agent.get("/account/profile"), "email");
      if (form === undefined) return;
      const page = await agent.submit(form, { email, current_password: actor.password });
      if (!page.text.includes(email) || page.forms.some(({ fields }) => fields.get("email") === email)) return;
      const link = await this.#nextLink(email, "/confirm/change");
      const confirm = link && has(await agent.get(link), "link");
      if (!confirm) return;
      await agent.submit(confirm);
      if ((await this.#current()).email !== email) return;
      const back = this.#isOlder(email, before);
      if (!back && (await this.#nextLink(before, "/undo")) === undefined)
        throw new Error(`${before} was not told of the change`);
      this.note(`${actor.name} ${back ? "went back to an address" : "changed the address"}`);
    });
  }

  /** Addresses in the order in which the account first had them. */
  readonly #had: string[] = [];
  #isOlder(one: string, other: string): boolean {
    if (!this.#had.includes(other)) this.#had.push(other);
    if (!this.#had.includes(one)) this.#had.push(one);
    return this.#had.indexOf(one) < this.#had.indexOf(other);
  }

  #email: string | undefined;
  async #current(): Promise<Person> {
    const person = await this.server.assent.storage.people.get(this.person);
    if (person === undefined) throw new Error("the person is gone");
    this.#email = person.email;
    return person;
  }

  /** The link of a recovery, if the account's address is the actor's. */
  async askRecovery(actor: Actor, browser: Browser, reads = actor.addresses): Promise<string | undefined> {
    this.server.tick(61 * MINUTE);
    return this.with(actor, browser, async (agent) => {
      const form = has(await agent.get("/recover"), "login");
      if (form === undefined) return undefined;
      await agent.submit(form, { login: this.person.username });
      const { email } = await this.#current();
      // Waits for the message in any case, because otherwise it would be taken for the answer to the next request.
      const link = await this.#nextLink(email, "/recover/new");
      return reads.includes(email) ? link : undefined;
    });
  }

  /** A link that restores the owner's first address, requested from that address. */
  async #askWayBack(): Promise<string | undefined> {
    this.server.tick(61 * MINUTE);
    const { email } = this.person;
    const form = (agent: Agent) => agent.get("/recover").then((page) => has(page, "login"));
    await this.with(this.owner, this.owner.browsers[0], async (agent) => {
      const asks = await form(agent);
      return asks && agent.submit(asks, { login: email });
    });
    return this.#nextLink(email, "/undo");
  }

  /** Waits until the messages sent so far have arrived. */
  async arrived(): Promise<void> {
    const { storage } = this.server.assent;
    while ((await storage.mailRequests.countWaiting({ most: 10 })) > 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
  }

  /** Somebody reads the owner's current e-mail, and keeps copies. */
  copyLinks(actor: Actor): void {
    for (const link of this.links(this.owner)) actor.copies.add(link);
  }

  /** Follows any link. True: it had an effect. */
  async useLink(actor: Actor, browser: Browser, link: string): Promise<boolean> {
    const { pathname } = new URL(link);
    if (pathname !== "/recover/undo")
      return pathname.startsWith("/confirm") ? false : this.takeBack(actor, browser, link);
    return this.with(actor, browser, async (agent) => {
      const page = await agent.get(link);
      const form = has(page, "link");
      // The owner doesn't restore anything that an intruder may have added.
      const foreign = !page.text.includes("owner ") || /intruder |Authenticator app|Recovery codes/.test(page.text);
      if (form === undefined || (actor === this.owner && foreign)) return false;
      if ((await agent.submit(form)).status !== 200) return false;
      this.password = "nobody knows this one";
      this.note(`${actor.name} undid a removal`);
      return true;
    });
  }

  /** The intruder uses the first copied link that still has an effect. */
  async useCopies(browser = aBrowser()): Promise<boolean> {
    const { intruder } = this;
    for (const link of [...intruder.copies].reverse()) {
      intruder.copies.delete(link);
      if (await this.useLink(intruder, browser, link)) return true;
    }
    return false;
  }

  /** Follows a link of a recovery or an undo, with the preselected choices. */
  async takeBack(actor: Actor, browser: Browser, link: string): Promise<boolean> {
    return this.with(actor, browser, async (agent) => {
      const page = await this.#proved(actor, agent, await agent.get(link));
      const form = page && has(page, "password");
      if (form === undefined) return false;
      const password = this.newPassword();
      const done = await agent.submit(form, { password, again: password });
      if (done.status !== 200 || has(done, "password") !== undefined) return false;
      actor.password = password;
      this.password = password;
      this.note(`${actor.name} took the account by ${new URL(link).pathname}`);
      return true;
    });
  }

  /** The page after the proof of a factor, if one is asked for. */
  async #proved(actor: Actor, agent: Agent, shown: Page): Promise<Page | undefined> {
    const isDecision = (page: Page) => has(page, "password") !== undefined;
    if (isDecision(shown)) return shown;
    const fields = ["code", "recovery", "credential"].filter((field) => has(shown, field) !== undefined);
    if (fields.length === 0) return undefined;
    this.note(`${actor.name} is asked for a factor`);
    const attempt = async (field: string, value: string): Promise<Page | undefined> => {
      const form = has(shown, field);
      const page = form && (await agent.follow(await agent.submit(form, { [field]: value })));
      return page !== undefined && isDecision(page) ? page : undefined;
    };
    for (const app of actor.apps.toReversed()) {
      this.server.tick(STEP);
      const page = await attempt("code", app.code());
      if (page !== undefined) return page;
    }
    for (const recovery of actor.codes.slice(0, 2)) {
      const page = await attempt("recovery", recovery);
      if (page !== undefined) return page;
    }
    for (const key of actor.keys) {
      const page = await attempt("credential", key.get(optionsOf(shown)));
      if (page !== undefined) return page;
    }
    return undefined;
  }

  // The conditions that must hold.

  /** Compares each session with the proofs given in its browser. Returns the differences. */
  async falseClaims(): Promise<readonly string[]> {
    const sessions = await this.server.assent.storage.sessions.list({ ...this.person, now: this.server.now() });
    const wrong: string[] = [];
    for (const actor of [this.owner, this.intruder]) {
      for (const { cookies, proofs } of actor.browsers) {
        const cookie = this.stage.credentials.read("session", cookies.get("assent_session") ?? "");
        const session = sessions.find(({ sessionId }) => sessionId === cookie?.id);
        if (session === undefined) continue;
        const { acr, amr, authTime } = session;
        const claimed: (keyof Proofs)[] = [
          ...(amr.includes("pwd") ? (["pwd"] as const) : []),
          ...(amr.includes("otp") ? (["otp"] as const) : []),
          ...(amr.includes("hwk") || amr.includes("swk") ? (["key"] as const) : []),
        ];
        const times = claimed.map((one) => proofs[one]);
        const level = claimed.includes("key") ? "phr" : claimed.includes("otp") ? "mfa" : "1fa";
        const true_ = claimed.length > 0 && acr === level && times.every((at) => at !== undefined && at >= authTime);
        if (!true_) wrong.push(`${actor.name}: ${JSON.stringify({ acr, amr, authTime, proofs })}`);
      }
    }
    return wrong;
  }

  /** Everything that the intruder can still use, apart from access tokens. It must be empty. */
  async intrudersHoldings(): Promise<readonly string[]> {
    const { intruder } = this;
    const { storage } = this.server.assent;
    const held: string[] = [];
    for (const [at, browser] of intruder.browsers.entries()) {
      const page = await this.with(intruder, browser, (agent) => agent.get("/account/apps"));
      if (page.location?.pathname !== "/login") held.push(`session in browser ${at}`);
    }
    for (const cookie of intruder.devices) {
      const read = this.stage.credentials.read("device", cookie);
      if (read === undefined) throw new Error("a device cookie can't be read");
      const deviceId = Buffer.from(read.saltHash).toString("base64url");
      const known = await storage.knownDevices.get({ partition: read.partition, personId: read.id, deviceId });
      if (known?.bound === true && known.generation === read.generation) held.push("a known device");
    }
    if ((await this.refreshAll(intruder)) > 0) held.push("a refresh token");
    // While the account has a newer address of the owner, links to an older address of the intruder may work.
    const { email } = await this.#current();
    for (const link of email === this.person.email ? this.links(intruder) : []) {
      const page = await this.with(intruder, aBrowser(), (agent) => agent.get(link));
      if (page.status === 200) held.push(`a link to ${new URL(link).pathname}`);
    }
    if (await this.finishSteps(intruder)) held.push("a second step that was left open");
    if (await this.signInByKey(intruder, aBrowser())) held.push("a passkey");
    // If the intruder has the password, nothing else of theirs may work as a second step.
    if ((await storage.secondFactors.get(this.person)) !== undefined) {
      const own = intruder.password;
      intruder.password = this.password;
      if (await this.signIn(intruder, aBrowser(), "right", 0)) held.push("an authenticator or a recovery code");
      intruder.password = own;
    }
    return held;
  }

  /** The owner recovers the account by e-mail and signs in. Returns what prevented that, or undefined. */
  async ownerReturns(): Promise<string | undefined> {
    const { owner } = this;
    const [browser] = owner.browsers;
    const { email } = await this.#current();
    const atHome = email === this.person.email;
    const links = [atHome ? await this.askRecovery(owner, browser) : await this.#askWayBack()];
    let back = false;
    for (const link of links) {
      back = link !== undefined && (await this.takeBack(owner, browser, link));
      if (back) break;
    }
    if (!back) return `no way back to ${email} by ${JSON.stringify(links)}`;
    return undefined;
  }

  async ownerSignsIn(): Promise<boolean> {
    const { owner } = this;
    this.server.tick(61 * MINUTE);
    for (const way of [0, 1, 2]) if (await this.signIn(owner, owner.browsers[0], "right", way)) return true;
    return false;
  }
}
