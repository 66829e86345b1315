/** oidc-provider as the provider at which people sign in: with its own pages, on a free port of this machine. */

import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK } from "jose";
import Provider, { type Adapter, type AdapterPayload, type ClientMetadata } from "oidc-provider";
import { Agent, type Page } from "./http-browser.ts";

export interface OidcProvider {
  readonly issuer: string;
  register(client: ClientMetadata): void;
  /** Signs in as this account on its pages, and allows. Returns the callback. */
  passes(agent: Agent, begun: Page, account: string): Promise<URL>;
  /** A browser of its pages. */
  agent(): Agent;
  stop(): Promise<void>;
}

/** Everything of one provider, in memory. */
function adapterOf(all: Map<string, AdapterPayload>): new (model: string) => Adapter {
  return class implements Adapter {
    readonly #model: string;
    constructor(model: string) {
      this.#model = model;
    }
    async upsert(id: string, payload: AdapterPayload): Promise<void> {
      all.set(`${this.#model}:${id}`, payload);
    }
    async find(id: string): Promise<AdapterPayload | undefined> {
      return all.get(`${this.#model}:${id}`);
    }
    async findByUid(uid: string): Promise<AdapterPayload | undefined> {
      return [...all].find(([key, one]) => key.startsWith(`${this.#model}:`) && one.uid === uid)?.[1];
    }
    async findByUserCode(): Promise<undefined> {}
    async consume(id: string): Promise<void> {
      const found = all.get(`${this.#model}:${id}`);
      if (found !== undefined) found.consumed = Math.floor(Date.now() / 1000);
    }
    async destroy(id: string): Promise<void> {
      all.delete(`${this.#model}:${id}`);
    }
    async revokeByGrantId(): Promise<void> {}
  };
}

export async function startOidcProvider(): Promise<OidcProvider> {
  const all = new Map<string, AdapterPayload>();
  const clients: ClientMetadata[] = [];
  const cookieKeys = [randomBytes(16).toString("hex")];
  let handle: ReturnType<Provider["callback"]> | undefined;
  const server = createServer((request, response) => void handle?.(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = { ...(await exportJWK(privateKey)), alg: "RS256", use: "sig", kid: randomBytes(4).toString("hex") };
  const build = (): void => {
    handle = new Provider(issuer, {
      adapter: adapterOf(all),
      clients,
      cookies: { keys: cookieKeys },
      jwks: { keys: [key] },
      pkce: { required: () => true },
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "preferred_username"] },
      features: { devInteractions: { enabled: true } },
      findAccount: (_context, accountId) => ({
        accountId,
        claims: () => ({
          sub: accountId,
          email: accountId.includes("@") ? accountId : `${accountId}@example.com`,
          email_verified: true,
          preferred_username: accountId.split("@")[0],
        }),
      }),
    }).callback();
  };
  build();
  return {
    issuer,
    register: (client) => {
      clients.push(client);
      build();
    },
    agent: () => new Agent(issuer),
    passes: async (agent, begun, account) => {
      let page = await agent.follow(await agent.get(begun.location?.href ?? ""));
      for (let left = 3; page.location === undefined; left -= 1) {
        const [form] = page.forms;
        if (form === undefined || left === 0) throw new Error(`no way on: ${page.status} ${page.text.slice(0, 500)}`);
        const fields = form.fields.has("login") ? { login: account, password: "any" } : {};
        page = await agent.follow(await agent.submit(form, fields));
      }
      return page.location;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
