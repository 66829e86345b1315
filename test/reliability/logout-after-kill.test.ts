/**
 * LO-14: `kill -9` after a session has ended, while its apps are told: the next server tells each app, and the session
 * stays ended.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import { cyclesOf, figure } from "../support/reliability-cycles-and-figures.ts";
import { authorizePath, type Prepared, prepareData, signedInAgent, startProcess } from "../support/server-process.ts";
import { startServer } from "../support/test-server.ts";

const CYCLES = cyclesOf(20, 1);

/** Where an app receives logout tokens. It answers only if `answers`. */
async function anApp(received: (token: string) => void, answers: () => boolean) {
  const app = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += String(part);
    received(new URLSearchParams(body).get("logout_token") ?? "");
    if (answers()) response.end();
  });
  await new Promise<void>((resolve) => app.listen(0, "127.0.0.1", resolve));
  return { app, uri: `http://127.0.0.1:${(app.address() as AddressInfo).port}/logout` };
}

/** Signs the person in and out at a new process, and kills it when `moment` resolves. Returns the browser's cookies. */
async function killedAfterSignOut(
  { dataDir, clients, person }: Prepared<"app">,
  moment: () => Promise<void>,
): Promise<{ readonly cookie: string }> {
  const process = await startProcess(dataDir, { ASSENT_OUTBOUND_ALLOW: "127.0.0.0/8" });
  const agent = await signedInAgent(process.url, person, authorizePath(clients.app, { scope: "openid" }));
  const [form] = (await agent.get("/account/sign-out")).forms.slice(-1);
  if (form === undefined) throw new Error("no form");
  const cookie = [...agent.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  expect((await agent.submit(form, { sign_out: "sign_out" })).status).toBeLessThan(400);
  await moment();
  expect((await process.end("SIGKILL")).signal).toBe("SIGKILL");
  return { cookie };
}

test.each(["right after the sign-out", "when the app has the token and has not answered"] as const)(
  "LO-14 killed %s → the next server tells the app with the same jti; the session stays ended",
  { timeout: CYCLES * 30_000 },
  async (when) => {
    let before = 0;
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      const told: string[] = [];
      const arrived = Promise.withResolvers<void>();
      let isKilled = false;
      const { app, uri } = await anApp(
        (token) => {
          told.push(token);
          arrived.resolve();
        },
        () => isKilled,
      );
      const data = await prepareData({ app: { scopes: ["openid"], backchannelLogoutUri: uri } });
      const cookies = await killedAfterSignOut(data, () =>
        when === "right after the sign-out" ? Promise.resolve() : arrived.promise,
      );
      isKilled = true;
      const early = told.length;
      before += early;
      const next = await startServer({ dataDir: data.dataDir, fetchFromLoopback: true });
      // The claim of the killed process ends after 30 seconds.
      next.tick(60_000);
      const delivered = () => next.log.filter((line) => line.includes('"logout_delivered"')).length;
      await expect.poll(delivered, { timeout: 20_000 }).toBe(1);
      expect(told.length).toBe(early + 1);
      const claims = told.map((token) => decodeJwt(token));
      expect(new Set(claims.map(({ jti }) => jti)).size).toBe(1);
      expect(claims.at(-1)).toMatchObject({ aud: data.clients.app.clientId, sub: data.person.personId });
      const page = await fetch(`${next.issuer}/account/apps`, { headers: cookies, redirect: "manual" });
      expect(page.headers.get("location")).toContain("/login");
      await next.stop();
      app.closeAllConnections();
      app.close();
    }
    figure("LO-14", `killed ${when}`, { cycles: CYCLES, "told before the kill, too": before, "never told": 0 });
  },
);
