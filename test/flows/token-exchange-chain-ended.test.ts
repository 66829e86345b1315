/** A chain of agents (RFC 8693 §4.1) with one whose access has ended: its tokens, and those that others made of them. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changeClient, expectRefusal, signedInPerson } from "../support/back-channel.ts";
import { addCompany, decide } from "../support/company-staff.ts";
import { postForm } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import {
  API1,
  API2,
  addAgent,
  addApis,
  addAssistant,
  assistantTokens,
  exchange,
  isActive,
  typeOf,
} from "../support/token-exchange.ts";

let server: TestServer;
let api2: TestClient;
beforeAll(async () => {
  server = await startServer();
  api2 = await addApis(server);
});
afterAll(() => server.stop());

type End = (agent: TestClient) => Promise<unknown>;

/** The token of an app that acts for a company, two agents, and the ways to end the access of one. */
async function aChain() {
  const company = await addCompany(server);
  const admin = await signedInPerson(server, company.admin);
  const { companyId: owner, partition } = company;
  const { access } = await assistantTokens(server, await addAssistant(server), admin, {
    answer: { owner, scope: ["read", "write", "mail:read"] },
  });
  const first = await addAgent(server);
  const policy = { subjects: ["access_token", "id_token"], sources: [API1, API2], actors: [first.clientId] } as const;
  const second = await addAgent(server, policy, { name: "Mail agent", scopes: ["openid", "mail:read"] });
  const ends: Readonly<Record<string, End>> = {
    blocked: (agent) => decide(server, company, agent, { rule: "block" }),
    async "stopped by the member"({ clientId }) {
      await decide(server, company, { clientId } as TestClient, { scopes: ["mail:read"] });
      const key = { partition, companyId: owner, clientId, personId: admin.personId };
      await server.assent.storage.companyApps.setOptOut({ ...key, out: true, now: server.now() });
    },
    async revoked(agent) {
      await assistantTokens(server, agent, admin, { answer: { owner } });
      const key = { partition, ownerId: owner, clientId: agent.clientId };
      await server.assent.storage.consents.revoke({ ...key, revokedBy: admin.personId, now: server.now() });
    },
    disabled: (agent) => changeClient(server, agent, { status: "disabled" }),
  };
  return { owner, admin, access, first, second, ends };
}

const actorToken = async (client: TestClient) => ({
  actor_token: (await postForm(server, "/token", client, { grant_type: "client_credentials", scope: "read" })).body
    .access_token,
  actor_token_type: typeOf("access_token"),
});

describe.each(["blocked", "stopped by the member", "revoked", "disabled"])(
  "TX-22 an agent in the chain is %s",
  (how) => {
    test("and another agent has its token → no new token, and the earlier ones are inactive", async () => {
      const { access, first, second, ends } = await aChain();
      const { body } = await exchange(server, first, access, { audience: API2 });
      const next = () => exchange(server, second, body.access_token, { audience: API2 });
      const issued = (await next()).body.access_token;
      const own = (await exchange(server, second, access, { audience: API2 })).body.access_token;
      const active = () => Promise.all([body.access_token, issued, own].map((token) => isActive(server, api2, token)));
      expect(await active()).toEqual([true, true, true]);
      await ends[how]?.(first);
      expect(await active()).toEqual([false, false, true]);
      expectRefusal(await next(), "invalid_request");
      expect((await exchange(server, first, access, { audience: API2 })).status).not.toBe(200);
    });

    test("and it acts by an actor token → the token is inactive", async () => {
      const { owner, admin, access, first, second, ends } = await aChain();
      const { body } = await assistantTokens(server, second, admin, {
        ...{ ask: { scope: "openid mail:read" }, answer: { owner }, fields: { resource: API2 } },
      });
      const ofIdToken = { subject_token: String(body["id_token"]), subject_token_type: typeOf("id_token") };
      const tokens = await Promise.all(
        [ofIdToken, {}].map(async (more) => {
          const asked = { audience: API2, ...more, ...(await actorToken(first)) };
          return (await exchange(server, second, access, asked)).body.access_token;
        }),
      );
      const active = () => Promise.all(tokens.map((token) => isActive(server, api2, token)));
      expect(await active()).toEqual([true, true]);
      await ends[how]?.(first);
      expect(await active()).toEqual([false, false]);
    });
  },
);
