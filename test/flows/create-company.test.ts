/**
 * People can create companies if the operator allows it (`ASSENT_COMPANIES=anyone`). Otherwise there is no such page.
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import { Agent, type Form, type Page, signIn } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

const PLACE = "/account/companies/new";
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ config: { companies: "anyone" } });
});
afterAll(() => server.stop());

async function somebody(of = server): Promise<{ readonly agent: Agent; readonly username: string }> {
  const { username } = await of.addPerson();
  const agent = new Agent(of.issuer);
  await signIn(agent, username);
  return { agent, username };
}

function formOf(page: Page): Form {
  const form = page.forms.find(({ action }) => action.endsWith(PLACE));
  if (form === undefined) throw new Error(`no form: ${page.status} ${page.text.slice(0, 300)}`);
  return form;
}

let made = 0;
const aName = () => {
  made += 1;
  return {
    name: `${["Alder", "Birch", "Cedar", "Dogwood", "Elder", "Fir", "Ginkgo", "Hazel"][made % 8]} ${"x".repeat(made)} Works`,
    slug: `works-${made}`,
  };
};

test("where operators alone create companies → no link, no page, no form", async () => {
  const closed = await startServer();
  try {
    const { agent } = await somebody(closed);
    const list = await agent.get("/account/companies");
    expect(list.text).not.toContain(PLACE);
    expect((await agent.get(PLACE)).status).toBe(404);
    const csrf = list.forms[0]?.fields.get("csrf") ?? "";
    expect((await agent.post(PLACE, { csrf, name: "Acme", slug: "acme" })).status).toBe(404);
    expect(await closed.assent.storage.companies.find({ slug: "acme" })).toBeUndefined();
  } finally {
    await closed.stop();
  }
});

test("nobody is signed in → sign-in; a sign-in of long ago → another one first, then the form", async () => {
  expect((await new Agent(server.issuer).get(PLACE)).location?.pathname).toBe("/login");
  const { agent, username } = await somebody();
  const form = formOf(await agent.get(PLACE));
  server.tick(11 * 60_000);
  const company = aName();
  const late = await agent.submit(form, company);
  expect(late.location?.pathname).toBe("/account/confirm");
  expect(await server.assent.storage.companies.find({ slug: company.slug })).toBeUndefined();
  const back = await signIn(agent, username, await agent.follow(late));
  expect(formOf(back)).toBeDefined();
});

test("a wrong name or address, another company's, or one like it → the form again, with what was typed", async () => {
  const { agent } = await somebody();
  const form = formOf(await agent.get(PLACE));
  const first = aName();
  expect((await agent.submit(form, first)).status).toBe(303);
  const other = aName();
  for (const [change, said] of [
    [{ name: "" }, "Enter a name"],
    [{ name: "Ac\u202eme" }, "Enter a name"],
    [{ name: "x".repeat(121) }, "Enter a name"],
    // A Cyrillic letter in a Latin word: the length is not what is wrong.
    [{ name: "A\u0441me" }, "in one alphabet"],
    [{ slug: "a/b" }, "Enter 1 to 40"],
    [{ slug: "-a" }, "Enter 1 to 40"],
    [{ slug: first.slug.toUpperCase() }, "has this address"],
    [{ name: first.name }, "looks like it"],
    [{ name: first.name.toUpperCase() }, "looks like it"],
    // A Cyrillic letter, and other characters between the words.
    [{ name: first.name.replaceAll("o", "\u043e") }, "looks like it"],
    [{ name: first.name.replaceAll(" ", "-") }, "looks like it"],
  ] as const) {
    const page = await agent.submit(form, { ...other, ...change });
    const problem = [
      change,
      page.status,
      page.text.includes(said) || (said === "looks like it" && page.text.includes("in one alphabet")),
    ];
    expect(problem).toEqual([change, 400, true]);
    if (!("slug" in change)) expect(page.text).toContain(`value="${other.slug}"`);
  }
  expect(await server.assent.storage.companies.find({ slug: other.slug })).toBeUndefined();
});

test("twice at once with one name, or with names that look alike → one company, and the name is free again when it is gone", async () => {
  const people = [await somebody(), await somebody()];
  const forms = await Promise.all(people.map(async ({ agent }) => formOf(await agent.get(PLACE))));
  const { name, slug } = aName();
  for (const [at, other] of [name, name.toUpperCase().replaceAll(" ", "-")].entries()) {
    const both = [name, other].map((one, who) => ({ name: one, slug: `${slug}-${at}-${who}` }));
    const done = await Promise.all(
      people.map(({ agent }, who) => agent.submit(forms[who] as Form, both[who] as { name: string; slug: string })),
    );
    expect(done.map(({ status }) => status).toSorted()).toEqual([303, 400]);
    expect(done.find(({ status }) => status === 400)?.text).toContain("looks like it");
    const found = await Promise.all(both.map((one) => server.assent.storage.companies.find({ slug: one.slug })));
    const made = found.filter((one) => one !== undefined);
    expect(made).toHaveLength(1);
    for (const { partition, companyId } of made)
      await server.assent.storage.companies.delete({ partition, companyId, now: server.now() });
  }
  const { agent } = people[0] as (typeof people)[0];
  // A creation that is refused for another reason reserves no name.
  const taken = await server.assent.storage.companies.list({ limit: 1, after: null });
  expect((await agent.submit(forms[0] as Form, { name, slug: taken[0]?.slug ?? "" })).text).toContain(
    "has this address",
  );
  expect((await agent.submit(forms[0] as Form, { name, slug })).status).toBe(303);
});

test("→ the person is its admin, and sees its pages; five are the most", async () => {
  const { agent } = await somebody();
  expect((await agent.get("/account/companies")).text).toContain(PLACE);
  for (let at = 0; at < 5; at += 1) {
    const company = aName();
    const done = await agent.submit(formOf(await agent.get(PLACE)), company);
    expect(done.location?.pathname).toBe(`/company/${company.slug}/members`);
    expect((await agent.follow(done)).text).toContain("The company is created");
    expect(await server.assent.storage.companies.find({ slug: company.slug })).toMatchObject({ defaultRule: "ask" });
  }
  const page = await agent.submit(formOf(await agent.get(PLACE)), aName());
  expect([page.status, page.text.includes("which is the limit")]).toEqual([400, true]);
});

test("without a form token, or with another session's → 403, nothing is created", async () => {
  const [one, two] = [await somebody(), await somebody()];
  const csrf = formOf(await two.agent.get(PLACE)).fields.get("csrf") ?? "";
  for (const token of ["", csrf]) {
    const company = aName();
    expect((await one.agent.post(PLACE, { csrf: token, ...company })).status).toBe(403);
    expect(await server.assent.storage.companies.find({ slug: company.slug })).toBeUndefined();
  }
});
