/** An admin of a company names hosts inside the operator's network as the company's sign-in provider, and tries them. */

import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addCompany, type TestCompany } from "../support/company-staff.ts";
import { Agent, formTo, type Page, signIn } from "../support/http-browser.ts";
import { ForgingProvider } from "../support/sign-in-providers.ts";
import { settle, startServer, type TestServer } from "../support/test-server.ts";

/** Hosts inside the network: whatever connects to one of them is seen. */
interface Inside {
  readonly port: number;
  /** Number of connections. */
  readonly reached: () => number;
  stop(): Promise<unknown>;
}

async function inside(host: string): Promise<Inside> {
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    ...{ port: address.port, reached: () => connections },
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

let server: TestServer;
let there: ForgingProvider;
let [v4, v6]: readonly Inside[] = [];
beforeAll(async () => {
  // The provider itself is at 127.0.0.1, which the operator allows. Every other host of this machine is inside.
  const config = { outboundAllow: ["127.0.0.1"], secret: [randomBytes(32)] };
  [server, there, v4, v6] = await Promise.all([
    startServer({ config }),
    ForgingProvider.start(),
    inside("127.0.0.2"),
    inside("::1"),
  ]);
});
afterAll(() => Promise.all([server.stop(), there.stop(), v4?.stop(), v6?.stop()]));

/** An admin who may connect a provider. */
async function anAdmin(at: TestServer) {
  const company = await addCompany(at);
  const { partition, companyId } = company;
  const may = { ownProvider: true, addDomains: [], removeDomains: [], now: at.now() };
  await at.assent.storage.companySignIn.set({ partition, companyId, ...may });
  const agent = new Agent(at.issuer);
  await signIn(agent, company.admin.username);
  return { company, agent };
}

const pathOf = ({ slug }: TestCompany) => `/company/${slug}/provider`;

/** Connects the provider and presses "Try it". Returns the page as a person reads it, without the parts that differ each time. */
async function tried(
  issuer: string,
  at = server,
): Promise<{ readonly page: Page; readonly text: string; readonly agent: Agent }> {
  const { company, agent } = await anAdmin(at);
  const fields = { name: "Acme ID", issuer, client_id: "assent", client_secret: randomBytes(16).toString("hex") };
  const saved = await agent.follow(await agent.submit(formTo(await agent.get(pathOf(company)), "/provider"), fields));
  expect(saved.text, issuer).toContain("Saved.");
  await settle();
  const page = await agent.submit(formTo(await agent.get(pathOf(company)), "/try"), {});
  const main = page.text.match(/<main.*<\/main>/s)?.[0] ?? "";
  return { page, agent, text: main.replaceAll(/"[^"]*"/g, "").replaceAll(company.name, "") };
}

/** What the page says about a host that doesn't exist: the admin learns nothing else about the network. */
const nowhere = async () => (await tried("https://login.invalid")).text;

describe("AD-15, DR-04 the connection test of a company's own provider", () => {
  test.each([
    ["the metadata service of a cloud", () => "https://169.254.169.254"],
    ["the same in decimal", () => "https://2852039166"],
    ["IPv6 loopback", () => `https://[::1]:${v6?.port}`],
    ["IPv4-mapped loopback", () => `https://[::ffff:127.0.0.2]:${v4?.port}`],
    ["IPv4 loopback", () => `https://127.0.0.2:${v4?.port}`],
    ["a private network", () => "https://10.1.2.3"],
  ])("%s → nothing is sent, and the page says what it says about any host", async (_, issuer) => {
    const { page, text } = await tried(issuer());
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect(text).toBe(await nowhere());
    expect([v4?.reached(), v6?.reached()]).toEqual([0, 0]);
  });

  test("a name that leads to loopback → nothing is sent", async () => {
    // The operator of this one allows nothing.
    const [strict, target] = await Promise.all([startServer(), inside("127.0.0.1")]);
    try {
      const { page, text } = await tried(`https://localhost:${target.port}`, strict);
      expect([page.status, text]).toEqual([400, await nowhere()]);
      expect(target.reached()).toBe(0);
    } finally {
      await Promise.all([strict.stop(), target.stop()]);
    }
  });

  test.each([301, 302, 307, 308])("the provider redirects to an inner host (%s) → not followed", async (status) => {
    for (const location of [`http://127.0.0.2:${v4?.port}/`, `http://[::1]:${v6?.port}/`, "http://169.254.169.254/"]) {
      there.answering = {
        instead: {
          "/.well-known/openid-configuration": (_, response) => response.writeHead(status, { location }).end(),
        },
      };
      const { page, text } = await tried(there.issuer);
      expect([page.status, text], location).toEqual([400, await nowhere()]);
    }
    expect([v4?.reached(), v6?.reached()]).toEqual([0, 0]);
  });

  test.each(["token_endpoint", "jwks_uri", "userinfo_endpoint"])(
    "the provider's document names an inner host as its %s → nothing is sent there",
    async (name) => {
      for (const host of [`http://127.0.0.2:${v4?.port}/`, `https://[::1]:${v6?.port}/`]) {
        there.answering = { metadata: { [name]: host } };
        const { page, agent } = await tried(there.issuer);
        if (page.status !== 303) continue;
        await agent.get(there.callback(page));
      }
      expect([v4?.reached(), v6?.reached()]).toEqual([0, 0]);
    },
  );

  test("a host that the operator allows → reached", async () => {
    there.answering = {};
    const { page } = await tried(there.issuer);
    expect([page.status, page.location?.origin]).toEqual([303, there.issuer]);
  });
});
