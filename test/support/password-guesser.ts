/** Somebody who guesses passwords: one browser, which loads the sign-in form once and posts it repeatedly. */

import { setTimeout as sleep } from "node:timers/promises";
import { Agent, type Form, type Page } from "./http-browser.ts";

export class Guesser {
  readonly agent: Agent;
  readonly #address: string | undefined;
  #form: Form | undefined;

  /** `address`: the browser's address, by a trusted proxy. `agent`: a browser that the server knows. */
  constructor(issuer: string, { address, agent = new Agent(issuer) }: { address?: string; agent?: Agent } = {}) {
    this.agent = agent;
    this.#address = address;
  }

  /** Posts the form and returns the answer without following it. `headers`: additional headers. */
  async try(username: string, password: string, headers: Record<string, string> = {}): Promise<Page> {
    this.#form ??= (await unhurried(() => this.agent.get("/login"))).forms.find(({ fields }) => fields.has("username"));
    const fields = new URLSearchParams(this.#form?.fields);
    fields.set("username", username);
    fields.set("password", password);
    const from = this.#address === undefined ? {} : { "x-forwarded-for": this.#address };
    return unhurried(() => this.agent.post("/login", fields, { ...from, ...headers }));
  }

  /** Posts one after another, and returns the statuses. */
  async wrong(username: string, times: number, headers: Record<string, string> = {}): Promise<number[]> {
    const statuses: number[] = [];
    for (let at = 0; at < times; at += 1) statuses.push((await this.try(username, `wrong ${at}`, headers)).status);
    return statuses;
  }
}

/** An overloaded server refused early, before it checked or counted anything. People try again. */
async function unhurried(ask: () => Promise<Page>): Promise<Page> {
  for (;;) {
    const page = await ask();
    if (page.status !== 503) return page;
    await sleep(50);
  }
}

/** 303 to the page of the apps: the sign-in succeeded. */
export function isSignedIn(page: Page): boolean {
  return page.status === 303 && page.location?.pathname === "/account/apps";
}

/** `count` networks that no other call returns. */
export function networks(count: number): string[] {
  const start = nextNetwork;
  nextNetwork += count;
  return Array.from(
    { length: count },
    (_, at) => `10.${(start + at) >> 16}.${((start + at) >> 8) & 255}.${(start + at) & 255}`,
  );
}
let nextNetwork = 1;

export function aNetwork(): string {
  return networks(1)[0] ?? "";
}
