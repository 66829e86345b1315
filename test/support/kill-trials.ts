/**
 * What is under way when a server process is killed, and what must hold after the next start. In each cycle, a trial
 * presents new credentials. The journal of its client, outside the server, holds what the client knows.
 */

import { expect } from "vitest";
import { claimsFor, JWT_BEARER, jwtOf, SAML2_BEARER } from "./assertion-requests.ts";
import { DEVICE_GRANT, formWith } from "./device-actor.ts";
import { consentForm, type Page } from "./http-browser.ts";
import {
  type BackChannelAnswer,
  type BackChannelRequest,
  bodyOf,
  codeForm,
  refreshForm,
} from "./keep-alive-requests.ts";
import { aMoment, DECIDED, type Entry, jwtIssuer, type KillSite, samlIssuer } from "./kill-setup.ts";
import { inFull } from "./reliability-cycles-and-figures.ts";
import { assertionXml, encoded, signed } from "./saml-idp.ts";
import { rowsOf } from "./server-nodes.ts";
import { follow, ISSUER } from "./server-process.ts";
import * as clientKeys from "./signing-clients.ts";
import type { TestClient } from "./test-server.ts";

/** Number of requests per kind that are under way at each kill. */
const UNDER_WAY = 4;

export interface Trial {
  /** Counts over all cycles. The counts with the first names must be 0. */
  readonly seen: Record<string, number>;
  /** Creates the credentials to present. */
  prepare(): Promise<void>;
  /** Sends requests, each at a random moment. They end no later than the process. */
  present(): readonly Promise<void>[];
  /** Checks after the restart. Rejects if something was lost or accepted twice. */
  check(): Promise<void>;
  /** Checks the database after this number of cycles. */
  finish?(cycles: number): Promise<void>;
}

function count(seen: Record<string, number>, name: string, by = 1): void {
  seen[name] = (seen[name] ?? 0) + by;
}

/** Helpers for redeeming, refreshing and revoking. */
abstract class CredentialTrial implements Trial {
  abstract readonly seen: Record<string, number>;
  protected readonly site: KillSite;
  protected readonly kind: string;
  protected readonly client: TestClient;
  protected under: readonly string[] = [];
  #from = 0;

  constructor(site: KillSite, kind: string, client: TestClient) {
    this.site = site;
    this.kind = kind;
    this.client = client;
  }

  abstract prepare(): Promise<void>;
  abstract check(): Promise<void>;
  /** The request that presents a credential. */
  abstract request(credential: string): BackChannelRequest;

  ask(credential: string): Promise<BackChannelAnswer> {
    return this.site.send(0, this.request(credential));
  }

  present(): readonly Promise<void>[] {
    this.#from = this.site.journal.size;
    return this.under.map(async (credential, at) => {
      await aMoment();
      const answer = await this.site.send(at, {
        ...this.request(credential),
        sent: () => this.site.journal.record({ event: "sent", kind: this.kind, credential }),
      });
      expect([0, 200], answer.text).toContain(answer.status);
      if (answer.status !== 200) return;
      const successor = answer.text === "" ? "" : (bodyOf(answer)["refresh_token"] ?? "");
      this.site.journal.record({ event: "acknowledged", kind: this.kind, credential, successor });
    });
  }

  /** Each credential of this cycle with its acknowledged successor. */
  protected acknowledged(): readonly (readonly [string, string | undefined])[] {
    const mine = ({ event, kind }: Entry) => event === "acknowledged" && kind === this.kind;
    const all = this.site.journal.entries(this.#from).filter(mine);
    return this.under.map((one) => [one, all.find(({ credential }) => credential === one)?.successor]);
  }

  protected codes(client: TestClient): Promise<string[]> {
    return Promise.all(Array.from({ length: UNDER_WAY }, (_, at) => this.site.code(client, at)));
  }

  protected redemption(client: TestClient, code: string): BackChannelRequest {
    return { path: "/token", client, form: codeForm(client, code, this.site.proof.verifier) };
  }

  /** Refresh tokens of this number of new grants. */
  protected async tokens(client: TestClient): Promise<string[]> {
    const codes = await this.codes(client);
    return Promise.all(
      codes.map(async (code) => bodyOf(await this.site.send(0, this.redemption(client, code)))["refresh_token"] ?? ""),
    );
  }

  /** Whether a token of the client with reusable tokens is still valid. */
  protected async isGood(token: string): Promise<boolean> {
    const client = this.site.data.clients.keeping;
    const answer = await this.site.send(0, { path: "/token", client, form: refreshForm(token) });
    expect([200, 400], answer.text).toContain(answer.status);
    return answer.status === 200;
  }
}

/** REL-01: a code is redeemed once, and an acknowledged redemption is kept. */
export class Redemption extends CredentialTrial {
  readonly seen: Record<string, number> = { lost: 0, double: 0, acknowledged: 0, untouched: 0, committed: 0 };

  constructor(site: KillSite) {
    super(site, "redeem", site.data.clients.keeping);
  }

  async prepare(): Promise<void> {
    this.under = await this.codes(this.client);
  }

  request(code: string): BackChannelRequest {
    return this.redemption(this.client, code);
  }

  async check(): Promise<void> {
    await Promise.all(this.acknowledged().map(([code, token]) => this.#checkOne(code, token)));
  }

  async #checkOne(code: string, token: string | undefined): Promise<void> {
    if (token !== undefined) {
      expect(await this.isGood(token), "acknowledged and lost").toBe(true);
      expect((await this.ask(code)).status, "a second success").toBe(400);
      count(this.seen, "acknowledged");
      return;
    }
    // The request took effect completely or not at all. If it did, the code is used, and this replay ends its grant.
    const again = await this.ask(code);
    const untouched = again.status === 200;
    expect([again.status, bodyOf(again)["error"]]).toEqual(untouched ? [200, undefined] : [400, "invalid_grant"]);
    count(this.seen, untouched ? "untouched" : "committed");
    if (untouched) expect((await this.ask(code)).status, "a second success").toBe(400);
  }

  async finish(): Promise<void> {
    const others = await rowsOf<{ generation: number }>(
      this.site.data.dataDir,
      "SELECT generation FROM grants WHERE client_id = ? AND generation > 1",
      this.client.clientId,
    );
    expect(others).toEqual([]);
  }
}

/** REL-02: a refresh token has one successor. A client that lost the successor gets it again. */
export class Refresh extends CredentialTrial {
  readonly seen: Record<string, number> = { forks: 0, "logged out": 0, acknowledged: 0, unacknowledged: 0 };

  constructor(site: KillSite) {
    super(site, "refresh", site.data.clients.rotating);
  }

  /** Each cycle continues with the tokens of the previous one. */
  async prepare(): Promise<void> {
    if (this.under.length === 0) this.under = await this.tokens(this.client);
  }

  request(token: string): BackChannelRequest {
    return { path: "/token", client: this.client, form: refreshForm(token) };
  }

  async check(): Promise<void> {
    this.under = await Promise.all(
      this.acknowledged().map(async ([token, acknowledged]) => {
        count(this.seen, acknowledged === undefined ? "unacknowledged" : "acknowledged");
        const answers = [await this.ask(token), await this.ask(token)];
        const statuses = answers.map(({ status }) => status);
        expect(statuses, "the owner would have to sign in again").toEqual([200, 200]);
        const made = new Set(answers.map((answer) => bodyOf(answer)["refresh_token"] ?? ""));
        if (acknowledged !== undefined) made.add(acknowledged);
        expect(made.size, "a fork").toBe(1);
        return [...made][0] ?? "";
      }),
    );
  }

  /** One step for the code and one for each cycle: no refresh was lost or counted twice. */
  async finish(cycles: number): Promise<void> {
    const grants = await rowsOf<{ status: string; generation: number; uses: number }>(
      this.site.data.dataDir,
      "SELECT status, generation, uses FROM grants WHERE client_id = ? AND generation > 0",
      this.client.clientId,
    );
    const expected = { status: "active", generation: 1 + cycles, uses: 1 + cycles };
    expect(grants.map((grant) => ({ ...grant }))).toEqual(Array(UNDER_WAY).fill(expected));
  }
}

/** REL-07: a revoked token stays revoked. */
export class Revocation extends CredentialTrial {
  readonly seen: Record<string, number> = { resurrected: 0, acknowledged: 0, unacknowledged: 0 };

  constructor(site: KillSite) {
    super(site, "revoke", site.data.clients.keeping);
  }

  async prepare(): Promise<void> {
    this.under = await this.tokens(this.client);
  }

  request(token: string): BackChannelRequest {
    return { path: "/revoke", client: this.client, form: { token } };
  }

  async check(): Promise<void> {
    await Promise.all(
      this.acknowledged().map(async ([token, acknowledged]) => {
        count(this.seen, acknowledged === undefined ? "unacknowledged" : "acknowledged");
        if (acknowledged === undefined) expect((await this.ask(token)).status).toBe(200);
        expect(await this.isGood(token), "a revoked token came back").toBe(false);
      }),
    );
  }
}

/**
 * REL-29: an owner allows and revokes. Each record matches its last entry in the history, and each grant has its entry.
 */
export class Decisions implements Trial {
  readonly seen: Record<string, number> = {
    "changes without an entry": 0,
    "entries without their change": 0,
    allowed: 0,
    revoked: 0,
  };
  readonly #site: KillSite;
  readonly #clients: readonly TestClient[];
  #forms: readonly (() => Promise<unknown>)[] = [];
  #before: ReadonlyMap<string, string> = new Map();

  constructor(site: KillSite) {
    this.#site = site;
    this.#clients = DECIDED.map((name) => site.data.clients[name]);
  }

  async prepare(): Promise<void> {
    const apps = await this.#site.browser().get("/account/apps");
    this.#forms = await Promise.all(this.#clients.map((client, at) => this.#form(client, apps, at)));
    if (this.#before.size === 0) this.#before = statuses(await this.#standings());
  }

  present(): readonly Promise<void>[] {
    return this.#forms.map(async (send) => {
      await aMoment();
      await send().catch(() => undefined);
    });
  }

  async check(): Promise<void> {
    const now = await this.#standings();
    expect(now).toHaveLength(DECIDED.length);
    for (const [clientId, status, last] of now) {
      expect(last, "the history's last entry").toBe(status === "active" ? "allowed" : "revoked");
      if (this.#before.get(clientId) !== status) count(this.seen, last ?? "");
    }
    this.#before = statuses(now);
    const [orphans] = await rowsOf<{ n: number }>(
      this.#site.data.dataDir,
      `SELECT COUNT(*) AS n FROM grants g WHERE client_id IN (?, ?, ?)
        AND NOT EXISTS (SELECT 1 FROM history h WHERE h.partition = g.partition AND h.entry_id = g.grant_id)`,
      ...this.#clients.map(({ clientId }) => clientId),
    );
    expect(orphans?.n, "grants without an entry").toBe(0);
  }

  /** A form that is ready to be sent. It ends a consent or gives a new one. */
  async #form(client: TestClient, apps: Page, at: number): Promise<() => Promise<unknown>> {
    const agent = this.#site.browser(at);
    const revoke = apps.forms.find(
      ({ action, fields }) => action.includes("/account/apps/revoke") && fields.get("client_id") === client.clientId,
    );
    if (revoke !== undefined) return () => agent.submit(revoke, { revoke: "" });
    const page = await follow(agent, await agent.get(this.#site.requestOf(client, { prompt: "consent" })));
    return () => agent.submit(consentForm(page), { decision: "allow", duration: "forever" });
  }

  /** The record of each app beside its last entry in the history. */
  async #standings(): Promise<Standing[]> {
    const rows = await rowsOf<{ client_id: string; status: string; last: string | null }>(
      this.#site.data.dataDir,
      `SELECT c.client_id, c.status, (SELECT h.kind FROM history h WHERE h.partition = c.partition AND h.owner_id = c.owner_id
        AND h.client_id = c.client_id ORDER BY h.at DESC LIMIT 1) AS last FROM consents c WHERE c.client_id IN (?, ?, ?)`,
      ...this.#clients.map(({ clientId }) => clientId),
    );
    return rows.map(({ client_id, status, last }) => [client_id, status, last] as const);
  }
}

/** A client's id, the status of its record, and its last entry in the history. */
type Standing = readonly [clientId: string, status: string, last: string | null];

function statuses(all: readonly Standing[]): ReadonlyMap<string, string> {
  return new Map(all.map(([clientId, status]) => [clientId, status]));
}

/**
 * REL-05, REL-06: credentials that are accepted once, presented several times at the kill and several times after it.
 */
abstract class OnceTrial implements Trial {
  readonly seen: Record<string, number> = { "accepted twice": 0, accepted: 0, "answers lost": 0 };
  protected readonly site: KillSite;
  readonly #refusal: string;
  #asked: BackChannelRequest | undefined;
  #before: BackChannelAnswer[] = [];

  constructor(site: KillSite, refusal: string) {
    this.site = site;
    this.#refusal = refusal;
  }

  /** A request that is accepted once. */
  abstract make(): Promise<BackChannelRequest>;

  async prepare(): Promise<void> {
    this.#asked = await this.make();
    this.#before = [];
  }

  present(): readonly Promise<void>[] {
    return Array.from({ length: UNDER_WAY }, async (_, at) => {
      await aMoment();
      this.#before.push(await this.#send(at));
    });
  }

  async check(): Promise<void> {
    const after = await Promise.all([0, 1, 2].map((at) => this.#send(at)));
    const told = [...this.#before, ...after].map((answer) =>
      answer.status === 0 ? "lost" : answer.status === 200 ? "200" : `${answer.status} ${bodyOf(answer)["error"]}`,
    );
    const times = (wanted: string) => told.filter((one) => one === wanted).length;
    const [accepted, lost] = [times("200"), times("lost")];
    expect(accepted + lost + times(this.#refusal), told.join(", ")).toBe(told.length);
    expect(accepted, told.join(", ")).toBeLessThanOrEqual(1);
    // No acceptance at all is correct only if the answer of the one success may have been lost.
    expect(accepted + lost, told.join(", ")).toBeGreaterThan(0);
    count(this.seen, "accepted", accepted);
    count(this.seen, "answers lost", lost);
  }

  #send(at: number): Promise<BackChannelAnswer> {
    if (this.#asked === undefined) throw new Error("nothing is prepared");
    return this.site.send(at, this.#asked);
  }
}

/** A client's assertion (RFC 7523 §3). */
export class ClientAssertion extends OnceTrial {
  constructor(site: KillSite) {
    super(site, "401 invalid_client");
  }

  async make(): Promise<BackChannelRequest> {
    const exp = Math.floor(Date.now() / 1000) + 290;
    const claims = clientKeys.claimsOf(here, this.site.data.clients.signing, { exp });
    const form = {
      grant_type: "client_credentials",
      client_assertion_type: clientKeys.JWT_BEARER,
      client_assertion: await clientKeys.sign(this.site.key, claims),
    };
    return { path: "/token", form };
  }
}

/** The audience of assertions: these processes. */
const here = { issuer: ISSUER, now: () => Date.now() };

/** A JWT as a grant (RFC 7523 §2.1). */
export class JwtGrant extends OnceTrial {
  constructor(site: KillSite) {
    super(site, "400 invalid_grant");
  }

  async make(): Promise<BackChannelRequest> {
    const { clients, person } = this.site.data;
    const assertion = jwtOf(jwtIssuer, claimsFor(here, jwtIssuer, person.username));
    return { path: "/token", client: clients.asserting, form: { grant_type: JWT_BEARER, assertion, scope: "read" } };
  }
}

/** A SAML assertion as a grant (RFC 7522 §2.1). */
export class SamlGrant extends OnceTrial {
  constructor(site: KillSite) {
    super(site, "400 invalid_grant");
  }

  async make(): Promise<BackChannelRequest> {
    const { clients, person } = this.site.data;
    const assertion = encoded(signed(assertionXml(here, samlIssuer, person.username), samlIssuer));
    return { path: "/token", client: clients.asserting, form: { grant_type: SAML2_BEARER, assertion, scope: "read" } };
  }
}

/** An allowed device polls (RFC 8628 §3.4). */
export class DevicePoll extends OnceTrial {
  constructor(site: KillSite) {
    super(site, "400 invalid_grant");
  }

  async make(): Promise<BackChannelRequest> {
    const { tv } = this.site.data.clients;
    const asked = { path: "/device_authorization", client: tv, form: { scope: "read" } };
    const codes = bodyOf(await this.site.send(0, asked));
    const agent = this.site.browser();
    const field = formWith(await agent.get("/device"), "user_code");
    const page = await follow(agent, await agent.submit(field, { user_code: codes["user_code"] ?? "" }));
    // The device is in another network than the browser, so the page asks about that first.
    const consent = await follow(agent, await agent.submit(formWith(page, "decision"), { decision: "go_on" }));
    await agent.submit(formWith(consent, "decision"), { decision: "allow" });
    const form = { grant_type: DEVICE_GRANT, device_code: codes["device_code"] ?? "" };
    return { path: "/token", client: tv, form };
  }
}

/** REL-30: wrong secrets from one network. The kill doesn't change the limit per minute. */
export class WrongSecrets implements Trial {
  readonly seen: Record<string, number> = { "beyond the limit": 0, "looked at": 0, "answers lost": 0 };
  readonly #site: KillSite;
  #from = "";
  #answers: BackChannelAnswer[] = [];

  constructor(site: KillSite) {
    this.#site = site;
  }

  async prepare(): Promise<void> {
    this.#from = this.#site.address();
    this.#answers = [];
    await this.#guesses(LIMIT / 2);
  }

  present(): readonly Promise<void>[] {
    return Array.from({ length: UNDER_WAY }, async (_, at) => {
      await aMoment();
      await this.#guess(at);
    });
  }

  async check(): Promise<void> {
    await this.#guesses(LIMIT / 2 + 1);
    const times = (wanted: number) => this.#answers.filter(({ status }) => status === wanted).length;
    const [looked, lost] = [times(401), times(0)];
    const told = JSON.stringify({ looked, lost, refused: times(429) });
    expect(looked + lost + times(429), told).toBe(this.#answers.length);
    // An attempt isn't counted if the database gives no connection within a second. That happens when other tests run.
    expect(looked, told).toBeLessThanOrEqual(LIMIT + (inFull ? 0 : UNDER_WAY));
    // Attempts whose answers were lost may have been counted.
    expect(looked + lost, told).toBeGreaterThanOrEqual(LIMIT);
    count(this.seen, "looked at", looked);
    count(this.seen, "answers lost", lost);
  }

  async #guesses(times: number): Promise<void> {
    // Few at a time, because a busy machine refuses early when fifty or more are under way.
    for (let done = 0; done < times; done += 10)
      await Promise.all(Array.from({ length: Math.min(10, times - done) }, (_, at) => this.#guess(at)));
  }

  async #guess(at: number): Promise<void> {
    const client = { clientId: this.#site.data.clients.keeping.clientId, secret: "wrong" };
    const headers = { "x-forwarded-for": this.#from };
    this.#answers.push(await this.#site.send(at, { path: "/token", client, headers, form: refreshForm("rt_x") }));
  }
}

/** Number of wrong secrets of a client that the server checks per minute, from one network. */
const LIMIT = 60;
