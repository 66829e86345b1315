/** SS-24: every link in a message is used twice: one after the other, in two browsers, and at the same time. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  everyPage,
  filled,
  rowsOf,
  type Service,
  type Shown,
  startService,
  type World,
} from "../support/crawl-every-page.ts";
import { Agent, type Form } from "../support/http-browser.ts";

/** The path of each link, and the status of its page once the link is used. */
const LINKS: readonly (readonly [path: string, spent: number])[] = [
  ["/recover/new", 400],
  ["/undo", 400],
  ["/sign-up/account", 400],
  ["/confirm/verify", 400],
  ["/confirm/change", 400],
  ["/invitation", 404],
];

let service: Service;
const worlds: World[] = [];
beforeAll(async () => {
  service = await startService();
  for (let at = 0; at < 2; at += 1) worlds.push(await everyPage(service, { aged: false }));
});
afterAll(() => service.stop());

/** The page of this link, with its form. */
function linkOf(world: World | undefined, path: string): { shown: Shown & { path: string }; form: Form } {
  for (const { page, path: own, ...shown } of world?.pages ?? []) {
    const form = page.forms.find(({ action, method }) => method === "post" && action.endsWith(path));
    if (form !== undefined && own !== null) return { shown: { ...shown, page, path: own }, form };
  }
  throw new Error(`no page with a form for ${path}`);
}

/** Usernames are unique, so each answer uses its own. */
const answers = (form: Form, at: string) => ({
  ...filled(form),
  ...(form.fields.has("username") ? { username: at } : {}),
});

describe.each(LINKS)("%s", (path, spent) => {
  test("used, then opened and sent again in any browser → spent, nothing changes", async () => {
    const { shown, form } = linkOf(worlds[0], path);
    const before = rowsOf(service.server);
    expect([200, 303]).toContain((await shown.agent.submit(form, answers(form, "first-one"))).status);
    const after = rowsOf(service.server);
    expect(after).not.toEqual(before);
    expect((await shown.agent.submit(form, answers(form, "second-one"))).status).toBe(spent);
    // The member who accepted an invitation comes to the company.
    expect((await shown.agent.get(shown.path)).status).toBe(path === "/invitation" ? 303 : spent);
    const other = await new Agent(service.server.issuer).get(shown.path);
    expect(other.status).toBe(spent);
    expect(rowsOf(service.server)).toEqual(after);
  });

  test("sent five times at once → one succeeds, the others get the page of a spent link", async () => {
    const { shown, form } = linkOf(worlds[1], path);
    const all = await Promise.all(
      Array.from({ length: 5 }, (_, at) => shown.agent.submit(form, answers(form, `racer-${path.length}-${at}`))),
    );
    const statuses = all.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200 || status === 303)).toHaveLength(1);
    expect(statuses.filter((status) => status === spent)).toHaveLength(4);
  });
});
