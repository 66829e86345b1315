/**
 * The set-up of the trials with `kill -9`: processes on one database, a signed-in browser, and a journal outside the
 * processes.
 */

import { randomInt } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { aJwtIssuer, JWT_BEARER, SAML2_BEARER, trust } from "./assertion-requests.ts";
import { DEVICE_GRANT } from "./device-actor.ts";
import { Journal } from "./durable-journal.ts";
import { Agent, consentForm, type Pkce, pkce } from "./http-browser.ts";
import { type BackChannelAnswer, type BackChannelRequest, send } from "./keep-alive-requests.ts";
import { anIdentityProvider } from "./saml-idp.ts";
import { Nodes } from "./server-nodes.ts";
import { authorizePath, follow, nextCode, type Prepared, prepareData, signedInAgent } from "./server-process.ts";
import { aKeyPair, jwksOf, type KeyPair } from "./signing-clients.ts";
import type { TestClient } from "./test-server.ts";

/** Milliseconds in which a page that asks to try again is requested again. */
const PATIENCE = 10_000;
/** The requests that are under way at a kill are sent within this number of milliseconds. */
const SPREAD = 40;

export type ClientName = "keeping" | "rotating" | "signing" | "asserting" | "tv" | "a" | "b" | "c";
/** The apps that the owner allows and revokes. */
export const DECIDED = ["a", "b", "c"] as const;

/** `sent`: a request was sent. `acknowledged`: its whole answer arrived. `credential`: the presented code or token. */
export interface Entry {
  readonly event: "sent" | "acknowledged";
  readonly kind: string;
  readonly credential: string;
  readonly successor?: string;
}

export const jwtIssuer = aJwtIssuer("https://idp.test");
export const samlIssuer = anIdentityProvider("https://idp.test/saml", "P-256");

export class KillSite {
  readonly data: Prepared<ClientName>;
  readonly nodes: Nodes;
  readonly journal: Journal<Entry>;
  /** The key of the client that signs. */
  readonly key: KeyPair;
  readonly proof: Pkce = pkce();
  readonly #cookies = new Map<string, string>();
  #addresses = 0;

  private constructor(data: Prepared<ClientName>, key: KeyPair) {
    this.data = data;
    this.key = key;
    // Failed authentications are counted by address, so each request has its own address.
    this.nodes = new Nodes(data.dataDir, { ASSENT_TRUST_PROXY: "127.0.0.1" });
    this.journal = new Journal<Entry>(join(dirname(data.dataDir), "journal.jsonl"));
  }

  /** `processes`: number of processes that share the database. The owner has allowed every app once. */
  static async open(processes: number): Promise<KillSite> {
    const key = await aKeyPair();
    const data = await prepareData<ClientName>(
      {
        keeping: {},
        rotating: { refresh: "rotate" },
        signing: {
          authMethod: "private_key_jwt",
          grantTypes: ["client_credentials"],
          ownScopes: ["read"],
          secrets: [],
          jwks: jwksOf(key),
        },
        asserting: { grantTypes: [JWT_BEARER, SAML2_BEARER], redirectUris: [] },
        tv: { type: "public", grantTypes: [DEVICE_GRANT, "refresh_token"], redirectUris: [], responseTypes: [] },
        ...{ a: {}, b: {}, c: {} },
      },
      async (server) => {
        await trust(server, { issuer: jwtIssuer.issuer, type: "jwt", jwks: jwtIssuer.jwks });
        await trust(server, { issuer: samlIssuer.entityId, type: "saml", certificates: [samlIssuer.certificate] });
      },
    );
    const site = new KillSite(data, key);
    await site.nodes.start(processes);
    const { keeping, rotating, a, b, c } = data.clients;
    const agent = await signedInAgent(site.nodes.url(), data.person, site.requestOf(keeping));
    for (const client of [rotating, a, b, c]) {
      const page = await follow(agent, await agent.get(site.requestOf(client)));
      await agent.submit(consentForm(page), { decision: "allow", duration: "forever" });
    }
    for (const [name, value] of agent.cookies) site.#cookies.set(name, value);
    return site;
  }

  async close(): Promise<void> {
    this.journal.close();
    await this.nodes.end("SIGKILL");
    rmSync(dirname(this.data.dataDir), { recursive: true, force: true });
  }

  /** The owner's signed-in browser. Its session survives the kills. `at`: the process that it uses. */
  browser(at = 0): Agent {
    const agent = new Agent(this.nodes.url(at));
    for (const [name, value] of this.#cookies) agent.cookies.set(name, value);
    return agent;
  }

  /** An authorization request of this client. */
  requestOf(client: TestClient, changes: Record<string, string> = {}): string {
    const proof = { code_challenge: this.proof.challenge, code_challenge_method: "S256" };
    return authorizePath(client, { ...proof, ...changes });
  }

  /** A code by the existing consent. An overloaded server asks to try again; this helper does so for a while. */
  async code(client: TestClient, at = 0): Promise<string> {
    const until = performance.now() + PATIENCE;
    for (;;) {
      try {
        return await nextCode(this.browser(at), this.requestOf(client));
      } catch (error) {
        if (performance.now() > until) throw error;
        await sleep(SPREAD);
      }
    }
  }

  /** An address that no other request uses. */
  address(): string {
    this.#addresses += 1;
    return `10.${this.#addresses >> 16}.${(this.#addresses >> 8) & 255}.${this.#addresses & 255}`;
  }

  async send(at: number, { headers, ...asked }: BackChannelRequest): Promise<BackChannelAnswer> {
    const request = { ...asked, headers: { "x-forwarded-for": this.address(), ...headers } };
    for (;;) {
      const answer = await send(this.nodes.url(at), request);
      // The overloaded server refused early, before it read anything. Clients try again.
      if (answer.status !== 503) return answer;
      await aMoment();
    }
  }
}

/** A random moment before the kill. */
export function aMoment(): Promise<void> {
  return sleep(randomInt(SPREAD));
}
