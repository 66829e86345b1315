import { describe, expect, test } from "vitest";
import {
  appsPage,
  assets,
  chrome,
  conditionPage,
  consentPage,
  deviceCodePage,
  deviceDonePage,
  deviceElsewherePage,
  errorRedirectPage,
  formPostPage,
  logoutPage,
  problemPage,
  signedOutPage,
  signInPage,
  signOutPage,
} from "../../src/pages/index.ts";
import {
  aClient,
  aCondition,
  aConsent,
  aDeviceCode,
  aDeviceConsent,
  ada,
  aHeldError,
  anApp,
  anAppsView,
  anElsewhere,
  aScope,
  aSignIn,
  NOW,
  states,
} from "./page-states.ts";

const plain = chrome({ issuer: "http://localhost:9400", here: "/account/apps" });
const rendered = Object.entries(states).map(([name, render]) => [name, render(plain)] as const);

/** The tags of one kind, each as it stands in the document. */
const tags = (html: string, kind: string) => html.match(new RegExp(`<${kind}\\b[^>]*>`, "g")) ?? [];
const forms = (html: string) => html.match(/<form\b[\s\S]*?<\/form>/g) ?? [];
const form = (html: string, action: string) => forms(html).find((one) => one.includes(`action="${action}"`)) ?? "";
const tag = (html: string, ...parts: string[]) =>
  tags(html, "[a-z]+").filter((one) => parts.every((part) => one.includes(part)));

const PAYLOAD = `"><img src=x onerror=alert(1)><script>alert(2)</script></title></textarea>'\u202E{{7*7}}`;

/** The view with the payload in place of every string, but for what chooses a branch. */
function poisoned<T>(value: T, key = ""): T {
  if (typeof value === "string") return (key === "kind" ? value : PAYLOAD) as T;
  if (Array.isArray(value)) return value.map((one) => poisoned(one)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, poisoned(one, name)])) as T;
}

const problem = {
  status: 400,
  title: "t",
  text: "t",
  condition: "c",
  requestId: "r",
  door: { href: "/", label: "l" },
} as const;

describe("every string of every view", () => {
  test.each([
    ["sign-in", signInPage(poisoned(aSignIn({ again: ada })), plain)],
    ["consent", consentPage(poisoned(aConsent()), plain)],
    ["held error", errorRedirectPage(poisoned(aHeldError()), plain)],
    ["consent, a new host", consentPage(poisoned(aConsent({ newHost: { host: "h", before: ["b"] } })), plain)],
    ["consent again", consentPage(poisoned(aConsent({ scopes: [aScope({ granted: true }), aScope()] })), plain)],
    ["device consent", consentPage(poisoned(aDeviceConsent()), plain)],
    ["device", deviceCodePage(poisoned(aDeviceCode({ linked: true })), plain)],
    ["device elsewhere", deviceElsewherePage(poisoned(anElsewhere()), plain)],
    ["device done", deviceDonePage({ client: poisoned(aClient()), outcome: "allowed" }, plain)],
    [
      "apps",
      appsPage(
        poisoned(
          anAppsView({ query: "q", notice: { kind: "revoked", app: "a", openUntil: NOW + 120_000, entryId: "e" } }),
        ),
        plain,
      ),
    ],
    ["sign-out", signOutPage(poisoned({ csrf: "c", person: ada }), plain)],
    ["logout", logoutPage({ fields: { csrf: PAYLOAD, state: PAYLOAD }, byApp: true, host: PAYLOAD }, plain)],
    ["signed-out", signedOutPage({ signIn: PAYLOAD, providers: [PAYLOAD] }, plain)],
    ["problem", problemPage(poisoned(problem), plain)],
    ["condition", conditionPage(poisoned(aCondition()), plain)],
    [
      "form post",
      formPostPage({ action: "https://a.example/?a=%22%3E<script>", fields: { [PAYLOAD]: PAYLOAD } }, plain),
    ],
  ])("markup in all of them, %s → text", (page, html) => {
    expect(tags(html, "img")).toEqual([]);
    const times = html.includes("<time") || page === "form post" ? 1 : 0;
    expect(tags(html, "script").length).toBe(times + (html.includes('type="password"') ? 1 : 0));
    expect(html.match(/<\/title>/g)).toHaveLength(1);
    expect(html).not.toMatch(/<[a-z]+(?:\s+[\w-]+="[^"]*")*\s+on\w+=/);
  });

  test("a logo, policy or door elsewhere or in another scheme → no address in the page", () => {
    const client = aClient({ logo: "//evil.example/l", policyUri: "javascript:alert(1)", tosUri: "data:text/html,x" });
    const door = { href: "javascript:alert(1)", label: "Go on" };
    for (const html of [
      consentPage(aConsent({ client }), plain),
      signInPage(aSignIn({ client }), plain),
      appsPage(anAppsView({ apps: [anApp({ logo: "https://evil.example/l" })] }), plain),
      problemPage({ ...problem, door }, plain),
    ]) {
      expect(html).not.toMatch(/evil\.example|javascript:|data:/);
    }
  });

  test.each(["javascript:alert(1)", "data:text/html,x", "blob:https://a.example/x", "not a URL"])(
    "an answer to %s → refused",
    (action) => {
      expect(() => formPostPage({ action, fields: {} }, plain)).toThrow(TypeError);
    },
  );
});

describe("every state", () => {
  test.each(rendered)("%s: no inline style or script, nothing from elsewhere", (name, html) => {
    expect(html).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">/);
    expect(html).not.toMatch(/\sstyle=|<style|<iframe|<object|<base|http-equiv/);
    const sources = tag(html, " src=").map((one) => / src="([^"]*)"/.exec(one)?.[1]);
    expect(sources.every((source) => source?.startsWith("/"))).toBe(true);
    const scripts = tags(html, "script").map((one) => /\/([\w-]+)\.js"/.exec(one)?.[1]);
    const wanted = [
      ...(name === "form-post" ? ["form-post"] : []),
      ...(html.includes("data-passkey=") ? ["passkeys"] : []),
      ...(html.includes('type="password"') ? ["passwords"] : []),
      ...(html.includes("<time") || html.includes('class="account"') || html.includes("data-today=") ? ["times"] : []),
    ];
    expect(scripts.sort()).toEqual(wanted);
    expect(tags(html, "link").every((one) => / href="\/[^/]/.test(one))).toBe(true);
  });

  test.each(rendered)("%s: each form posts, with its csrf where it stays here", (name, html) => {
    for (const one of forms(html)) {
      // A search changes nothing: it is a link with a field. Nor does a button that leads to a question.
      if (
        /^<form method="get" action="\/(account\/apps|company\/[^/"]+(\/(revoke|leave|members\/remove|provider\/remove|apps\/[^/"]+|connections\/find))?)"/.test(
          one,
        )
      )
        continue;
      expect(one).toMatch(/^<form[^>]* method="post"/);
      expect(one.includes('name="csrf"')).toBe(name !== "form-post" && !one.includes('action="/language"'));
    }
  });

  test.each(rendered)("%s: one title, one main, one h1, no id twice", (_, html) => {
    for (const kind of ["title", "main", "h1"]) expect(tags(html, kind)).toHaveLength(1);
    const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("rendering twice gives the same document", () => {
    for (const [name, html] of rendered) expect(states[name]?.(plain)).toBe(html);
  });
});

test("each page's title is its own", () => {
  const names = [
    "sign-in",
    "sign-in-alone",
    "consent",
    "consent-more",
    "apps",
    "sign-out",
    "signed-out",
    "problem-404",
  ];
  const titles = names.map((name) => /<title>(.*)<\/title>/.exec(states[name]?.(plain) ?? "")?.[1]);
  expect(new Set(titles).size).toBe(names.length);
});

describe("device", () => {
  test("the code's field is named user_code, and the form goes to /device with its csrf alone", () => {
    const one = form(states["device"]?.(plain) ?? "", "/device");
    expect(tag(one, 'name="user_code"', 'aria-describedby="user-code-hint"')).toHaveLength(1);
    expect(one).not.toMatch(/name="(request|device)"/);
  });

  test("a wrong code → it stays, the field is marked and has the focus, the message is its own", () => {
    const html = deviceCodePage(aDeviceCode({ userCode: "WDJB-MJHT", problem: { kind: "unknown" } }), plain);
    expect(tag(html, 'name="user_code"', 'aria-invalid="true"', 'value="WDJB-MJHT"', " autofocus")).toHaveLength(1);
    expect(tag(html, 'id="user-code-error"', 'role="alert"')).toHaveLength(1);
  });

  test("the question of a device: code, place, time and warning; no host; Allow and Don’t allow alike; the form goes to /device/consent", () => {
    const html = consentPage(aDeviceConsent(), plain);
    for (const text of ["WDJB-MJHT", "203.0.113.7", "your network", "1 minute ago", "if you started this yourself"])
      expect(html).toContain(text);
    expect(html).not.toMatch(/client-host|You go back/);
    const one = form(html, "/device/consent");
    expect(tag(one, 'name="device"', 'value="sealed-device-value"')).toHaveLength(1);
    const buttons = tag(one, "<button", 'name="decision"').map((each) => each.replace(/ value="\w+"/, ""));
    expect([buttons.length, new Set(buttons).size]).toEqual([2, 1]);
  });
});

describe("sign-in", () => {
  test("no request under way → no field for it, and no app", () => {
    const html = signInPage(aSignIn({ form: { csrf: "c", request: null }, client: null }), plain);
    expect(html).not.toContain('name="request"');
    expect(html).toContain("<title>Sign in · Assent</title>");
  });

  test("wrong → the username stays, both fields are marked, the message is theirs, the password has the focus", () => {
    const html = signInPage(aSignIn({ username: "ada", problem: { kind: "wrong" } }), plain);
    const [message] = tag(html, 'role="alert"');
    const id = / id="([^"]*)"/.exec(message ?? "")?.[1];
    for (const field of ["username", "password"]) {
      expect(tag(html, `name="${field}"`, 'aria-invalid="true"', `aria-describedby="${id}"`)).toHaveLength(1);
    }
    expect(tag(html, 'name="username"', 'value="ada"')).toHaveLength(1);
    expect(tag(html, 'name="password"', " autofocus")).toHaveLength(1);
    expect(tag(html, 'name="password"', " value=")).toHaveLength(0);
  });

  test.each([
    [0.2, "Wait a minute"],
    [1, "Wait a minute"],
    [4.1, "Wait 5 minutes"],
  ])("throttled for %d minutes → %s", (minutes, text) => {
    expect(signInPage(aSignIn({ problem: { kind: "throttled", minutes } }), plain)).toContain(text);
  });

  test("the fields that browsers and password managers know", () => {
    const posted = form(signInPage(aSignIn(), plain), "/login");
    expect(tag(posted, 'name="username"', 'autocomplete="username"', " autofocus")).toHaveLength(1);
    expect(tag(posted, 'name="password"', 'type="password"', 'autocomplete="current-password"')).toHaveLength(1);
    expect(tag(posted, 'name="csrf"', 'value="csrf-value"', 'type="hidden"')).toHaveLength(1);
    expect(tag(posted, 'name="request"', 'value="sealed-request-value"', 'type="hidden"')).toHaveLength(1);
    expect(tag(posted, "<button", 'type="submit"')).toHaveLength(1);
  });
});

describe("consent", () => {
  const html = consentPage(aConsent(), plain);
  const posted = form(html, "/consent");

  test("names, values and hidden fields", () => {
    expect(tag(posted, 'name="scope"', 'type="checkbox"')).toHaveLength(4);
    expect(tag(posted, 'value="photos:read"', " checked", " disabled")).toHaveLength(1);
    expect(tag(posted, 'value="photos:write"', " checked")).toHaveLength(1);
    expect(tag(posted, 'value="photos:write"', " disabled")).toHaveLength(0);
    expect(tag(posted, 'value="photos:delete"', " checked")).toHaveLength(0);
    const menus = posted.match(/<select\b[\s\S]*?<\/select>/g) ?? [];
    const own = menus.slice(0, -1);
    const ofAll = menus.at(-1) ?? "";
    expect([tags(ofAll, "option").length, tag(ofAll, '<option value="7776000"', " selected").length]).toEqual([8, 1]);
    // One in the row of each scope. If nothing is chosen there, the scope ends as chosen for all.
    expect(own.map((one) => / name="([^"]+)"/.exec(one)?.[1])).toEqual(
      aConsent().scopes.map(({ name }) => `duration:${name}`),
    );
    for (const one of own) expect(tag(one, "<option value selected")).toHaveLength(1);
    expect(tag(posted, 'name="duration"', "<select")).toHaveLength(1);
    expect(tag(posted, 'name="request"', 'value="sealed-request-value"')).toHaveLength(1);
  });

  test("two answers with the same class, and no third that Enter could press", () => {
    const answers = tag(posted, 'name="decision"');
    expect(answers.map((one) => /value="(\w+)"/.exec(one)?.[1])).toEqual(["allow", "deny"]);
    expect(new Set(answers.map((one) => /class="([^"]*)"/.exec(one)?.[1])).size).toBe(1);
    // What Enter presses stands first, belongs to the form by its id, and sends nothing.
    const [first] = tags(html, "button");
    expect(first).toMatch(/ formmethod="dialog"/);
    expect(first).not.toMatch(/ name=/);
    expect(tags(posted, "button").filter((one) => !/ form=/.test(one))).toHaveLength(2);
  });

  test("who asks and who is asked stand in plain text", () => {
    for (const fact of ["Photo Printer", "print.example.com", "Ada Lovelace", ">ada<", "See your photos and albums"]) {
      expect(posted + html).toContain(fact);
    }
  });

  test("within an API: reading, then changing, then deleting, without headings that repeat the permissions", () => {
    const order = ["photos:read", "photos:write", "photos:delete"].map((name) => posted.indexOf(`value="${name}"`));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order[0]).toBeGreaterThan(0);
    for (const heading of ["</svg>See<", "</svg>Delete<"]) expect(posted).not.toContain(heading);
  });

  test("each row's menu is named after its permission; a new permission that is alone has none", () => {
    expect(posted).toContain("When it ends: <bdi>Delete photos for good</bdi>");
    expect(consentPage(aConsent({ scopes: [aScope()] }), plain)).not.toContain('name="duration:');
  });

  test("checked by the operator, or not; who makes it, since when, how many use it", () => {
    for (const text of ["Verified by Assent", "Print House Ltd", "June 2025", "over 100 people"])
      expect(html).toContain(text);
    const client = aClient({ verified: false, publisher: null, people: 0 });
    const stranger = consentPage(aConsent({ client }), plain);
    for (const text of ["Not verified by Assent", "fewer than 10 people"]) expect(stranger).toContain(text);
    expect(consentPage(aConsent({ client: aClient({ people: null }) }), plain)).not.toContain("Used by");
  });

  test("the command line of the server's operators → said so, and to compare the code all the same", () => {
    const command = aClient({ isCommand: true, verified: false, publisher: null, host: null });
    const shown = consentPage(aDeviceConsent({ client: command }), plain);
    expect(shown).toContain("Part of Assent: the command line of its operators");
    expect(shown).toContain("and its screen shows the code below");
    for (const text of ["Not verified", "hasn’t checked who makes"]) expect(shown).not.toContain(text);
  });

  test.each([
    ["a website", { host: "print.example" }, undefined, ">print.example</bdi>, or know that it belongs to this app"],
    ["this device", { host: "127.0.0.1" }, undefined, "if you opened this app on this device yourself"],
    [
      "an app's own scheme",
      { host: "com.example.print:" },
      undefined,
      "if you opened this app on this device yourself",
    ],
    ["a device with a code", { host: null }, aDeviceConsent().device, "its screen shows the code below"],
  ])(
    "not checked, the answer goes to %s → says what to compare, and what to do if it differs",
    (_, host, device, said) => {
      const client = aClient({ verified: false, ...host });
      const text = consentPage(aConsent({ client, ...(device === undefined ? {} : { device }) }), plain);
      expect(text).toContain(said);
      expect(text).toContain("choose “Don’t allow”");
      expect(text).not.toContain("check its address");
    },
  );

  test.each([
    ["P\u0430yPal", true],
    ["\u0391pple", true],
    ["Photo Printer", false],
    ["Яндекс Mail", false],
    ["写真 Printer", false],
  ])("a name like %j → warned of: %s", (name, warned) => {
    expect(
      consentPage(aConsent({ client: aClient({ name }) }), plain).includes("letters from different alphabets"),
    ).toBe(warned);
  });

  test("another account has a form of its own", () => {
    const other = form(html, "/login/switch");
    expect(tag(other, 'name="csrf"')).toHaveLength(1);
    expect(tag(other, 'name="request"')).toHaveLength(1);
    const id = / id="([^"]*)"/.exec(other)?.[1];
    expect(tag(html, "<button", `form="${id}"`, 'type="submit"')).toHaveLength(1);
  });

  test("some granted before → what is new stands first, the rest is folded but still sent", () => {
    const scopes = [aScope({ name: "old", required: false, granted: true }), aScope({ name: "new", required: false })];
    const again = form(consentPage(aConsent({ scopes }), plain), "/consent");
    expect(again.indexOf('value="new"')).toBeLessThan(again.indexOf("<details"));
    expect(again.indexOf('value="old"')).toBeGreaterThan(again.indexOf("<details"));
  });

  test("all granted before → nothing is folded", () => {
    const scopes = [aScope({ granted: true })];
    expect(consentPage(aConsent({ scopes, allGranted: true }), plain)).not.toContain("<details");
  });

  test.each([
    ["127.0.0.1", "(this device)"],
    ["[::1]:8080", "(this device)"],
    ["com.example.app:", "An app on this device"],
  ])("the answer goes to %s → the page says that it is %s", (host, text) => {
    const page = consentPage(aConsent({ client: aClient({ host }) }), plain);
    expect(page).toContain(text);
    expect(page).toContain("Either way, you’ll go back to the app on this device.");
  });

  test("a host that only begins like this device's → a site", () => {
    const page = consentPage(aConsent({ client: aClient({ host: "127.0.0.1.evil.example" }) }), plain);
    expect(page).not.toContain("this device");
  });
});

describe("apps", () => {
  test("an entry for each app, each with its facts and its form to revoke", () => {
    const view = anAppsView();
    const html = appsPage(view, plain);
    const articles = html.match(/<article\b[\s\S]*?<\/article>/g) ?? [];
    expect(articles).toHaveLength(view.apps.length);
    for (const app of view.apps) {
      const article = articles.find((one) => one.includes(`data-client-id="${app.clientId}"`)) ?? "";
      expect(article).toContain(`data-client-id="${app.clientId}"`);
      const revoke = form(article, "/account/apps/revoke");
      expect(tag(revoke, 'name="client_id"', `value="${app.clientId}"`)).toHaveLength(1);
      expect(tag(revoke, 'name="revoke"', 'value="revoke"', 'type="submit"')).toHaveLength(1);
      expect(article).toContain(new Date(app.grantedAt).toISOString());
      for (const scope of app.scopes) expect(article).toContain(scope.description);
    }
  });

  test("nothing that could go alone → no form to narrow", () => {
    const [scope] = anApp().scopes;
    for (const scopes of [
      scope ? [{ ...scope, removable: true }] : [],
      anApp().scopes.map((one) => ({ ...one, removable: false })),
    ]) {
      expect(appsPage(anAppsView({ apps: [anApp({ scopes })] }), plain)).not.toContain("/account/apps/narrow");
    }
  });

  test("something that could → a tick for each, fixed where it can't go", () => {
    const narrow = form(appsPage(anAppsView({ apps: [anApp()] }), plain), "/account/apps/narrow");
    expect(tag(narrow, 'name="keep"', " checked")).toHaveLength(3);
    expect(tag(narrow, 'name="keep"', 'value="photos:read"', " disabled")).toHaveLength(1);
    expect(tag(narrow, 'name="keep"', " disabled")).toHaveLength(1);
    expect(tag(narrow, 'name="narrow"', 'type="submit"')).toHaveLength(1);
  });

  test.each([
    [{ kind: "revoked", app: "A", openUntil: null, entryId: null } as const, "no longer has access.</p>"],
    [{ kind: "revoked", app: "A", openUntil: NOW + 60_000, entryId: null } as const, "by 09:31 UTC, within 1 minute"],
    [
      { kind: "revoked", app: "A", openUntil: NOW + 600_000, entryId: null } as const,
      "by 09:40 UTC, within 10 minutes",
    ],
    [
      { kind: "narrowed", app: "A", openUntil: NOW + 600_000, entryId: null } as const,
      "complete by 09:40 UTC, within 10 minutes",
    ],
    [{ kind: "gone" } as const, "so nothing was changed"],
  ])("after %j → a status that says so", (notice, text) => {
    const html = appsPage(anAppsView({ notice }), plain);
    expect(tag(html, 'role="status"')).toHaveLength(1);
    expect(html.replace(/<\/?time[^>]*>/g, "")).toContain(text);
  });

  test("an end far away, none, and one of a single permission", () => {
    const html = appsPage(anAppsView({ apps: [anApp({ expiresAt: null })], now: NOW }), plain);
    expect(html).toContain("When you revoke it");
    expect(html).toContain("in 5 days");
  });

  test.each(["apps", "apps-none", "apps-30", "apps-hostile"])("%s: a way to sign out", (state) => {
    const out = form(states[state]?.(plain) ?? "", "/account/sign-out");
    expect(tag(out, 'name="sign_out"', 'type="submit"')).toHaveLength(1);
  });
});

test("a section of an RFC → a link to it; another document's → text", () => {
  const rfc = conditionPage(aCondition({ section: "RFC 6749 §4.1.2.4" }), plain);
  expect(rfc).toContain('href="https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.4"');
  const appendix = conditionPage(aCondition({ section: "RFC 6749 Appendix B" }), plain);
  expect(appendix).toContain('href="https://www.rfc-editor.org/rfc/rfc6749#appendix-B"');
  const other = conditionPage(aCondition({ section: "OpenID Connect Core §3.1.2.6" }), plain);
  expect(other).not.toContain("rfc-editor");
});

test("an issuer with a path → every path of every page begins with it", () => {
  const below = chrome({ issuer: "https://id.example.com/auth/" });
  for (const render of Object.values(states)) {
    const html = render(below);
    const paths = [...html.matchAll(/\s(?:href|src|action)="(\/[^"]*)"/g)].map(([, path]) => path);
    expect(paths.filter((path) => !path?.startsWith("/auth/"))).toEqual([]);
  }
});

test("the style sheet's path names its content, and it loads nothing from elsewhere", () => {
  const sheet = assets.get(plain.stylesheets[0] ?? "");
  expect(plain.stylesheets[0]).toMatch(/^\/assets\/[\w-]{16}\/assent\.css$/);
  expect(sheet).toMatchObject({ type: "text/css; charset=utf-8", immutable: true });
  expect(sheet?.bytes.toString().match(/@import|url\((?!"data:)/g)).toBeNull();
  expect(assets.get(plain.favicon)).toMatchObject({ type: "image/svg+xml", immutable: false });
});
