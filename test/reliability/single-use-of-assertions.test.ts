/**
 * What is accepted once, at three processes on one database (kill.test.ts kills them meanwhile): a client's assertion (RFC 7523 §3), a JWT and a
 * SAML assertion as grants (RFC 7522 §3, RFC 7523 §3), a device's approval (RFC 8628 §3.5); and of a subject's first uses one makes the owner.
 */

import { randomInt, randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { Agent as HttpAgent } from "node:http";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../../packages/server/src/oauth/model.ts";
import {
  aJwtIssuer,
  claimsFor,
  claimsOf,
  JWT_BEARER,
  jwtOf,
  SAML2_BEARER,
  trust,
} from "../support/assertion-requests.ts";
import { DEVICE_GRANT, formWith } from "../support/device-actor.ts";
import type { Agent, Page } from "../support/http-browser.ts";
import { type BackChannelAnswer, type BackChannelRequest, bodyOf, send } from "../support/keep-alive-requests.ts";
import { cyclesOf, figure, inFull } from "../support/reliability-cycles-and-figures.ts";
import { anIdentityProvider, assertionXml, encoded, signed } from "../support/saml-idp.ts";
import {
  follow,
  ISSUER,
  type Prepared,
  prepareData,
  type ServerProcess,
  signedInAgent,
  startProcess,
} from "../support/server-process.ts";
import * as clientKeys from "../support/signing-clients.ts";

const ROUNDS = cyclesOf(100, 6);
/** The short form sends fewer at once, in the same number of rounds. */
const AT_ONCE = inFull ? 50 : 12;
const POLLS = inFull ? 20 : 6;
const LONG = 60_000 + ROUNDS * 4000;

/** The audience of the assertions: these processes. */
const audience = { issuer: ISSUER, now: () => Date.now() };
const jwt = aJwtIssuer("https://idp.test");
const maker = aJwtIssuer("https://maker.test");
const saml = anIdentityProvider("https://idp.test/saml", "P-256");
let key: clientKeys.KeyPair;

/** One client for each test, because a client gets at most a thousand codes from one network at a time. */
type Television = "tvAllowed" | "tvBoth" | "tvDenied";
const DEVICES = Math.min(ROUNDS, 900);

let data: Prepared<"signing" | "asserting" | "app" | Television>;
let processes: ServerProcess[];
const connections = new HttpAgent({ keepAlive: true, maxSockets: AT_ONCE });
/** Failed client authentications are counted by address. This test isn't about them. */
const env = { ASSENT_TRUST_PROXY: "127.0.0.1", ASSENT_DEVICE_INTERVAL: "1" };

const television: Partial<Client> = {
  type: "public",
  grantTypes: [DEVICE_GRANT, "refresh_token"],
  redirectUris: [],
  responseTypes: [],
};

beforeAll(async () => {
  key = await clientKeys.aKeyPair();
  data = await prepareData(
    {
      signing: {
        authMethod: "private_key_jwt",
        grantTypes: ["client_credentials"],
        ownScopes: ["read"],
        secrets: [],
        jwks: clientKeys.jwksOf(key),
      },
      asserting: { grantTypes: [JWT_BEARER, SAML2_BEARER], redirectUris: [] },
      ...{ tvAllowed: television, tvBoth: television, tvDenied: television },
      app: {},
    },
    async (server) => {
      await trust(server, { issuer: jwt.issuer, type: "jwt", jwks: jwt.jwks });
      await trust(server, {
        ...{ issuer: maker.issuer, type: "jwt", jwks: maker.jwks, mapSubject: "link", createOwners: true },
      });
      await trust(server, { issuer: saml.entityId, type: "saml", certificates: [saml.certificate] });
    },
  );
  processes = await Promise.all([0, 1, 2].map(() => startProcess(data.dataDir, env)));
}, 60_000);
afterAll(async () => {
  connections.destroy();
  const ended = await Promise.all(processes.map((one) => one.end("SIGTERM")));
  rmSync(dirname(data.dataDir), { recursive: true, force: true });
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
});

let addresses = 0;
async function token(at: number, asked: Pick<BackChannelRequest, "form" | "client">): Promise<BackChannelAnswer> {
  addresses += 1;
  const headers = { "x-forwarded-for": `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}` };
  for (;;) {
    const url = processes[at % processes.length]?.url ?? "";
    const answer = await send(url, { path: "/token", headers, ...asked }, connections);
    // The busy server refused early, before it read anything. Clients try again.
    if (answer.status !== 503) return answer;
    await sleep(randomInt(20, 100));
  }
}

const volley = (asked: Pick<BackChannelRequest, "form" | "client">, times = AT_ONCE) =>
  Array.from({ length: times }, (_, at) => token(at, asked));

/** Number of answers of each kind: `200`, `400 invalid_grant`, …; `lost`: the connection broke. */
function counted(answers: readonly BackChannelAnswer[]): Record<string, number> {
  const names = answers.map((answer) =>
    answer.status === 0 ? "lost" : answer.status === 200 ? "200" : `${answer.status} ${bodyOf(answer)["error"]}`,
  );
  return Object.fromEntries(
    Object.entries(Object.groupBy(names, (one) => one)).map(([one, all = []]) => [one, all.length]),
  );
}

/** Each makes a request that works once and is valid for minutes. */
const KINDS: readonly [string, string, () => Promise<Pick<BackChannelRequest, "form" | "client">>][] = [
  [
    "a client's assertion",
    "401 invalid_client",
    async () => {
      const now = Math.floor(Date.now() / 1000);
      const claims = clientKeys.claimsOf(audience, data.clients.signing, { exp: now + 290 });
      const form = {
        grant_type: "client_credentials",
        client_assertion_type: clientKeys.JWT_BEARER,
        client_assertion: await clientKeys.sign(key, claims),
      };
      return { form };
    },
  ],
  [
    "a JWT as grant",
    "400 invalid_grant",
    async () => {
      const assertion = jwtOf(jwt, claimsFor(audience, jwt, data.person.username));
      return { client: data.clients.asserting, form: { grant_type: JWT_BEARER, assertion, scope: "read" } };
    },
  ],
  [
    "a SAML assertion",
    "400 invalid_grant",
    async () => {
      const assertion = encoded(signed(assertionXml(audience, saml, data.person.username), saml));
      return { client: data.clients.asserting, form: { grant_type: SAML2_BEARER, assertion, scope: "read" } };
    },
  ],
];

describe.each(KINDS)("%s", (kind, refusal, make) => {
  test(`CJ-16 JB-06 SA-26 ${AT_ONCE} at once, ${ROUNDS} rounds → one is accepted each time`, {
    timeout: LONG,
  }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all(volley(await make()));
      expect(counted(answers), `round ${round}`).toEqual({ 200: 1, [refusal]: AT_ONCE - 1 });
    }
    figure("REL-06", `${kind}, ${AT_ONCE} at once at 3 processes`, { rounds: ROUNDS, "accepted each time": 1 });
  });
});

test("REL-06 accepted, then all processes restarted → refused by all", { timeout: LONG }, async () => {
  const spent = await Promise.all(
    KINDS.map(async ([, refusal, make]) => ({ refusal, asked: await Promise.all(Array.from({ length: 10 }, make)) })),
  );
  for (const { asked } of spent)
    expect(counted(await Promise.all(asked.map((one, at) => token(at, one))))).toEqual({ 200: 10 });
  const ended = await Promise.all(processes.map((one) => one.end("SIGTERM")));
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
  processes = await Promise.all([0, 1, 2].map(() => startProcess(data.dataDir, env)));
  for (const { refusal, asked } of spent)
    for (const one of asked) expect(counted(await Promise.all(volley(one, 3)))).toEqual({ [refusal]: 3 });
});

test(`JB-07 a subject's first use, ${POLLS} assertions at once, ${ROUNDS} rounds → one owner`, {
  timeout: LONG,
}, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const subject = randomUUID();
    // Without an address, with an address, and with one whose first part is an existing username.
    const address = round % 3 === 1 ? `${subject}@new.test` : `${data.person.username}@${subject}.test`;
    const more = round % 3 === 0 ? {} : { email: address, email_verified: true };
    const answers = await Promise.all(
      Array.from({ length: POLLS }, (_, at) => {
        const assertion = jwtOf(maker, { ...claimsFor(audience, maker, subject), ...more });
        return token(at, {
          client: data.clients.asserting,
          form: { grant_type: JWT_BEARER, assertion, scope: "read" },
        });
      }),
    );
    expect(counted(answers), `round ${round}`).toEqual({ 200: POLLS });
    expect(new Set(answers.map((answer) => claimsOf(bodyOf(answer)["access_token"])["sub"])).size).toBe(1);
  }
});

describe("a device", () => {
  let agent: Agent;
  beforeAll(async () => {
    const [redirectUri = ""] = data.clients.app.redirectUris;
    const query = {
      response_type: "code",
      client_id: data.clients.app.clientId,
      redirect_uri: redirectUri,
      scope: "read",
    };
    agent = await signedInAgent(processes[0]?.url ?? "", data.person, `/authorize?${new URLSearchParams(query)}`);
  });

  interface Waiting {
    readonly polls: () => Promise<readonly BackChannelAnswer[]>;
    /** The consent page. */
    readonly page: Page;
  }

  async function waiting(name: Television): Promise<Waiting> {
    const client = data.clients[name];
    const asked = { path: "/device_authorization", client, form: { scope: "read" } };
    const codes = bodyOf(await send(processes[1]?.url ?? "", asked, connections));
    const form = { grant_type: DEVICE_GRANT, device_code: codes["device_code"] ?? "" };
    const field = formWith(await agent.get("/device"), "user_code");
    const page = await follow(agent, await agent.submit(field, { user_code: codes["user_code"] ?? "" }));
    return { page, polls: () => Promise.all(volley({ client, form }, POLLS)) };
  }

  test(`DV-06 REL-05 allowed, ${POLLS} polls at once, ${DEVICES} rounds → exactly one 200`, {
    timeout: LONG,
  }, async () => {
    for (let round = 0; round < DEVICES; round += 1) {
      const { page, polls } = await waiting("tvAllowed");
      await agent.submit(formWith(page, "decision"), { decision: "allow" });
      expect(counted(await polls()), `round ${round}`).toEqual({ 200: 1, "400 invalid_grant": POLLS - 1 });
    }
    figure("REL-05", `${POLLS} polls at once at 3 processes`, { rounds: DEVICES, "tokens each time": 1 });
  });

  test(`REL-05 denied, ${POLLS} polls at once, ${DEVICES} rounds → no token`, { timeout: LONG }, async () => {
    for (let round = 0; round < DEVICES; round += 1) {
      const { page, polls } = await waiting("tvDenied");
      await agent.submit(formWith(page, "decision"), { decision: "deny" });
      const counts = counted(await polls());
      expect(counts["400 access_denied"], JSON.stringify(counts)).toBeGreaterThan(0);
      expect(counts["200"], `round ${round}`).toBeUndefined();
    }
  });

  test(`REL-05 allowed and denied at once while it polls, ${DEVICES} rounds → what was answered first stands`, {
    timeout: LONG,
  }, async () => {
    const won = { allowed: 0, denied: 0 };
    for (let round = 0; round < DEVICES; round += 1) {
      const { page, polls } = await waiting("tvBoth");
      const form = formWith(page, "decision");
      // Allowing takes longer than denying, so it needs a head start to be first sometimes.
      const yes = agent.submit(form, { decision: "allow" });
      await sleep(randomInt(0, 12));
      await Promise.all([yes, agent.submit(form, { decision: "deny" })]);
      const counts = counted(await polls());
      const allowed = counts["200"] === 1;
      won[allowed ? "allowed" : "denied"] += 1;
      expect(counts, `round ${round}`).toEqual(
        allowed ? { 200: 1, "400 invalid_grant": POLLS - 1 } : { "400 access_denied": POLLS },
      );
      expect(Object.keys(counted(await polls())), `round ${round}`).not.toContain("200");
    }
    figure("REL-05", "allowed and denied at once", { rounds: DEVICES, ...won, "tokens after a no": 0 });
  });
});
