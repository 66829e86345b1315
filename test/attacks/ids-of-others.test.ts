/** CN-12, AD-05, AD-20: a person sends every id of another owner's addresses and forms with their own session. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../packages/server/src/http/endpoint-table.ts";
import {
  ENDS,
  everyPage,
  type Found,
  filled,
  formsOf,
  looksOf,
  rowsOf,
  type Service,
  startService,
  type World,
} from "../support/crawl-every-page.ts";
import { Agent, type Form, linksOf, type Page } from "../support/http-browser.ts";

let service: Service;
let victim: World;
let mallory: World;
let theirs: ReadonlyMap<string, readonly Found[]>;
let own: ReadonlyMap<string, readonly Found[]>;

const SECRET = "Words that only the victim may read";

beforeAll(async () => {
  service = await startService();
  victim = await everyPage(service, { text: SECRET, appText: "An app" });
  mallory = await everyPage(service, { text: "Mallory", aged: false });
  [theirs, own] = [formsOf(victim.pages), formsOf(mallory.pages)];
});
afterAll(() => service.stop());

/** Other tests check links in messages: everybody who has such a link may open it. */
const BEARER = ["link"];
/** Fields with a free value, not an id. */
const FREE = ["csrf", "username", "back", "name", "state"];

/** Ids of the victim for the fields and buttons of the attacker's form. */
function idsFor(path: string, { fields, buttons }: Form): [string, string][] {
  const others = looksOf(theirs.get(path) ?? []).concat(theirs.get(path) ?? []);
  const values = others.flatMap(({ form }) => [...form.fields, ...form.buttons]);
  const names = new Set([...fields.keys(), ...buttons.map(([name]) => name)]);
  const mine = new Set([...fields.values(), ...buttons.map(([, value]) => value)]);
  const pairs = values.filter(
    ([name, value]) => names.has(name) && value !== "" && !mine.has(value) && ![...FREE, ...BEARER].includes(name),
  );
  return [...new Map(pairs.map((pair) => [pair.join("="), pair])).values()].map(([name, value]) => [name, value]);
}

/** All rows of the victim's people and company. */
function victims(): string[] {
  const ids = [...victim.people.map(({ personId }) => personId), victim.company.companyId];
  return rowsOf(service.server).filter((row) => ids.some((id) => row.includes(id)));
}

function expectNothingOfTheirs({ text, headers }: Page, where: string): void {
  expect(text, where).not.toContain(SECRET);
  for (const { personId, username } of victim.people) {
    expect(text, where).not.toContain(personId);
    expect(text, where).not.toContain(username);
  }
  expect(headers.get("location") ?? "", where).not.toContain(victim.company.slug);
}

const PATHS = routes
  .filter(({ path, POST }) => POST !== undefined && path !== "/authorize")
  .map(({ path }) => path)
  .toSorted((one, another) => Number(ENDS.test(one)) - Number(ENDS.test(another)));

describe("CN-12 AD-20 addresses", () => {
  /**
   * Addresses that name something of an owner. Links in messages are left out, because everybody who has one may open
   * it.
   */
  const addresses = () =>
    [...new Set(victim.pages.flatMap(({ page, path }) => [...linksOf(page), ...(path === null ? [] : [path])]))].filter(
      (href) => /^\/(company|account|consent|device)\b.*[/?]/.test(href) && !href.includes("back="),
    );

  test("there are some of each kind, and rows to lose", () => {
    expect(victims().length).toBeGreaterThan(50);
    for (const kind of [/receipt\?entry=/, /\/company\/[^/]+$/, /\/members/, /\/history\/receipt/])
      expect(
        addresses().some((href) => kind.test(href)),
        String(kind),
      ).toBe(true);
  });

  test("every address on the victim's pages, opened by another company's admin and member → nothing of theirs", async () => {
    const agents = new Set<Agent>(
      mallory.pages.filter(({ who }) => /admin|member/.test(who)).map(({ agent }) => agent),
    );
    for (const href of addresses()) {
      for (const agent of agents) {
        const page = await agent.follow(await agent.get(href));
        expectNothingOfTheirs(page, href);
        if (/receipt\?|\/company\//.test(href)) expect([href, page.status]).toEqual([href, 404]);
      }
    }
  });
});

describe("IN-12, AD-08 addresses and cursors with nonsense in them", () => {
  const NONSENSE = ["-1", "1e18", "NaN", "null", "' OR 1=1 --", "%", "\0", "a".repeat(5000), "\u{1F600}", "__proto__"];

  test.each([
    "before",
    "after",
    "entry",
    "done",
    "q",
    "request",
    "device",
    "invitation",
    "link",
    "token",
    "to",
    "back",
  ])("%s → a page of ours or 404, never a fault", async (field) => {
    for (const { agent, path } of mallory.pages) {
      if (path === null || !new URL(path, service.server.issuer).searchParams.has(field)) continue;
      for (const nonsense of NONSENSE) {
        const url = new URL(path, service.server.issuer);
        url.searchParams.set(field, nonsense);
        const page = await agent.get(url.href);
        expect([200, 303, 400, 404], `${url.pathname} ${field}=${nonsense.slice(0, 20)}`).toContain(page.status);
      }
    }
    for (const path of ["/account/apps", "/account/history", `/company/${mallory.company.slug}/members`]) {
      const { status } = await (mallory.pages[0]?.agent ?? new Agent(service.server.issuer)).get(
        `${path}?${field}=NaN`,
      );
      expect([200, 303, 404], path).toContain(status);
    }
  });
});

test("DS-17 a page size, an order or a pattern in the address → the same list as without", async () => {
  const entries = ({ text }: Page) => text.match(/data-client-id="|receipt\?entry=|name="person_id"/g)?.length ?? 0;
  const agent = mallory.pages.find(({ who }) => who === "an admin")?.agent ?? new Agent(service.server.issuer);
  const slug = mallory.company.slug;
  let most = 0;
  for (const path of ["/account/apps", "/account/history", `/company/${slug}/members`, `/company/${slug}/history`]) {
    const whole = await agent.get(path);
    expect([path, whole.status]).toEqual([path, 200]);
    most = Math.max(most, entries(whole));
    for (const query of ["limit=1000000000", "page_size=1000000000", "sort=password_hash", "order=random()"])
      expect([path, query, entries(await agent.get(`${path}?${query}`))]).toEqual([path, query, entries(whole)]);
  }
  expect(most).toBeGreaterThan(1);
  for (const pattern of ["%", "_", "%%%"])
    expect(entries(await agent.get(`/account/apps?q=${encodeURIComponent(pattern)}`))).toBe(0);
});

describe("CN-12 AD-05 forms", () => {
  test.each(PATHS.filter((path) => path.startsWith("/company/")))(
    "%s of the victim's company → 404, nothing changed",
    async (path) => {
      const before = victims();
      for (const { agent, form } of looksOf(own.get(path) ?? [])) {
        const action = form.action.replace(mallory.company.slug, victim.company.slug);
        expect(action).not.toBe(form.action);
        const page = await agent.submit({ ...form, action }, filled(form));
        expect(page.status).toBe(404);
        expectNothingOfTheirs(page, action);
      }
      expect(victims()).toEqual(before);
    },
  );

  test("the ids that are tried: of apps, people, requests, invitations, sessions, passkeys, and what is sealed", () => {
    const tried = new Set(
      PATHS.flatMap((path) => (own.get(path) ?? []).flatMap(({ form }) => idsFor(path, form).map(([name]) => name))),
    );
    expect([...tried].sort()).toEqual(
      expect.arrayContaining([
        "client_id",
        "id",
        "device",
        "end",
        "invitation",
        "owner",
        "partial",
        "person_id",
        "request",
        "token",
      ]),
    );
  });

  test.each(PATHS)("%s with the victim's ids → nothing of theirs changes or shows", async (path) => {
    // A message that an earlier form asked for is written in the background.
    await expect.poll(() => service.server.assent.storage.mailRequests.countWaiting({ most: 1 })).toBe(0);
    const before = victims();
    for (const { agent, form } of looksOf(own.get(path) ?? [])) {
      for (const [name, value] of idsFor(path, form)) {
        const page = await agent.follow(await agent.submit(form, { ...filled(form), [name]: value }));
        // An invitation's page names the company to everybody who has the link. Only the invited person can join.
        const isLink = name === "invitation" && value.startsWith("iv_");
        if (!isLink) expectNothingOfTheirs(page, `${path} ${name}=${value}`);
        expect(victims(), `${path} ${name}=${value}`).toEqual(before);
      }
    }
  });
});
