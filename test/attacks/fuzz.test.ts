/** DS-16, REL-24: valid requests with random faults, at every endpoint: no answer is 500, and the server continues. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "../../packages/server/src/http/endpoint-table.ts";
import { everyPage, type Service, startService } from "../support/crawl-every-page.ts";
import { Agent, authorizeUrl } from "../support/http-browser.ts";
import { API, type TestClient } from "../support/test-server.ts";

/** Number of requests. To send more: `FUZZ=100000 npm test -- attacks/fuzz`. */
const REQUESTS = Number(process.env["FUZZ"] ?? 3000);

let service: Service;
let seeds: readonly Sent[];

/** A valid request, before faults are added. */
interface Sent {
  readonly agent: Agent;
  readonly method: string;
  readonly path: string;
  readonly fields: readonly (readonly [string, string])[];
  readonly headers: Record<string, string>;
}

beforeAll(async () => {
  service = await startService();
  const { pages, apps } = await everyPage(service, { aged: false });
  const [app] = apps;
  if (app === undefined) throw new Error("no apps");
  const forms = pages.flatMap(({ agent, page }) =>
    page.forms.map(({ action, method, fields, buttons }) => ({
      ...{ agent, method: method.toUpperCase(), path: new URL(action, service.server.issuer).pathname, headers: {} },
      fields: [...fields, ...buttons.slice(0, 1)],
    })),
  );
  const gets = pages.flatMap(({ agent, path }) => {
    if (path === null) return [];
    const url = new URL(path, service.server.issuer);
    return [{ agent, method: "GET", path: url.pathname, fields: [...url.searchParams], headers: {} }];
  });
  seeds = [...forms, ...gets, ...programs(app)];
});
afterAll(() => service.stop());

/** The requests of clients and APIs. */
function programs(app: TestClient): Sent[] {
  const agent = new Agent(service.server.issuer);
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
  });
  const own = basic(app.clientId, app.secret);
  const post = (path: string, fields: Record<string, string>, headers = own): Sent => ({
    ...{ agent, method: "POST", path, headers },
    fields: Object.entries(fields),
  });
  const grant = (name: string) => `urn:ietf:params:oauth:grant-type:${name}`;
  const dead = (prefix: string) => `${prefix}_${"A".repeat(116)}`;
  const assertion = `${btoa('{"alg":"ES256","kid":"a"}')}.${btoa('{"iss":"a","sub":"b","exp":1}')}.AAAA`;
  const kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  const url = new URL(
    authorizeUrl(service.server, app, { code_challenge: "A".repeat(43), code_challenge_method: "S256" }),
  );
  const more = {
    prompt: "login",
    max_age: "0",
    resource: "https://api.test",
    nonce: "n",
    ui_locales: "de en",
    acr_values: "mfa",
  };
  return [
    post("/token", {
      grant_type: "authorization_code",
      code: dead("ac"),
      redirect_uri: "https://app.test/cb",
      code_verifier: "v".repeat(43),
    }),
    post("/token", {
      grant_type: "refresh_token",
      refresh_token: dead("rt"),
      scope: "read",
      resource: "https://api.test",
    }),
    post("/token", { grant_type: "client_credentials", scope: "read" }),
    post("/token", { grant_type: "password", username: "a", password: "b", scope: "read" }),
    post("/token", { grant_type: grant("device_code"), device_code: dead("dc") }),
    post("/token", { grant_type: grant("jwt-bearer"), assertion }),
    post("/token", {
      grant_type: grant("saml2-bearer"),
      assertion: btoa("<Assertion xmlns='urn:oasis:names:tc:SAML:2.0:assertion'/>"),
    }),
    post(
      "/token",
      {
        grant_type: "client_credentials",
        client_id: app.clientId,
        client_assertion: assertion,
        client_assertion_type: kind,
      },
      { authorization: "" },
    ),
    post("/device_authorization", { client_id: app.clientId, scope: "read" }),
    post("/revoke", { token: dead("rt"), token_type_hint: "refresh_token" }),
    post("/introspect", { token: dead("at"), token_type_hint: "access_token" }, basic(API.id, API.secret)),
    { agent, method: "GET", path: "/authorize", fields: [...url.searchParams, ...Object.entries(more)], headers: {} },
    { agent, method: "POST", path: "/authorize", fields: [...url.searchParams], headers: {} },
    ...routes.flatMap(({ path, GET }) =>
      GET === undefined ? [] : [{ agent, method: "GET", path: path.replace(/:\w+/g, "x"), fields: [], headers: {} }],
    ),
  ];
}

/** A small generator with a seed, so that a failure can be repeated. */
function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const PIECES = [
  ...[
    "",
    " ",
    "\0",
    "\r\n",
    "'",
    '"',
    "\\",
    "%",
    "%00",
    "%ff",
    "\u{1F600}",
    "\uD800",
    "\u202e",
    "\uFEFF",
    "null",
    "undefined",
  ],
  ...[
    "NaN",
    "-1",
    "0",
    "1e309",
    "9007199254740993",
    "true",
    "[]",
    "{}",
    "__proto__",
    "constructor",
    "../../etc/passwd",
    "<script>",
  ],
  ...[
    "forever",
    "once",
    "mfa",
    "none login",
    "urn:x:y",
    "https://evil.test",
    "javascript:x",
    "x".repeat(300),
    "é".repeat(3000),
    "A".repeat(20_000),
  ],
];
const HEADERS: readonly (readonly [string, string])[] = [
  ["content-type", "application/json"],
  ["content-type", "application/x-www-form-urlencoded; charset=utf-16"],
  ["content-type", "multipart/form-data; boundary=x"],
  ["accept-language", "x".repeat(2000)],
  ["accept-language", "de;q=NaN, *;q=-1, ,;;"],
  ["authorization", "Basic ????"],
  ["authorization", "Bearer \u00ff"],
  ["cookie", "assent_session=A; assent_session=B; assent_browser=; assent_language=%00; assent_device=x"],
  ["origin", "null"],
  ["dpop", "a.b.c"],
  ["x-forwarded-for", "::ffff:1.2.3.4, [bad"],
  ["sec-fetch-site", "cross-site"],
  ["accept", "text/html;q=0, */*;q=x"],
  ["if-none-match", '"x'],
  ["range", "bytes=0-"],
];

function bent({ agent, method, path, fields, headers }: Sent, below: (limit: number) => number): Sent {
  const pick = <T>(from: readonly T[]) => from[below(from.length)] as T;
  const changed = fields.map(([name, value]) => [name, value] as [string, string]);
  const more = { ...headers };
  let [how, where] = [method, path];
  for (let times = 1 + below(3); times > 0; times -= 1) {
    const at = changed[below(Math.max(1, changed.length))];
    const cut = below((at?.[1].length ?? 0) + 1);
    switch (below(11)) {
      case 0:
        if (at !== undefined) at[1] = at[1].slice(0, cut) + pick(PIECES) + at[1].slice(cut);
        break;
      case 1:
        if (at !== undefined) at[1] = pick(PIECES);
        break;
      case 2:
        if (at !== undefined) at[1] = at[1].slice(0, cut);
        break;
      case 3:
        if (at !== undefined) at[1] = at[1].slice(0, cut) + String.fromCharCode(33 + below(94)) + at[1].slice(cut + 1);
        break;
      case 4:
        changed.push([at?.[0] ?? "a", pick(PIECES)]);
        break;
      case 5:
        changed.splice(below(Math.max(1, changed.length)), 1);
        break;
      case 6: {
        const other = pick(seeds).fields;
        if (other.length > 0) changed.push([...(other[below(other.length)] as readonly [string, string])]);
        break;
      }
      case 7:
        how = pick(["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"]);
        break;
      case 8: {
        const [name, value] = pick(HEADERS);
        more[name] = value;
        break;
      }
      case 9:
        where = pick(seeds).path;
        break;
      default:
        where = `${path}${pick(["/", "//", "/..", "/%2e%2e", ";x=1", "%00", "/%ff", `/${"x".repeat(300)}`])}`;
    }
  }
  return { agent, method: how, path: where, fields: changed, headers: more };
}

async function send({ agent, method, path, fields, headers }: Sent): Promise<{ status: number; text: string }> {
  // `URLSearchParams` would replace lone surrogates. This sends their bytes, as a careless client would.
  const form = fields.map((pair) => pair.map(encoded).join("=")).join("&");
  const hasBody = !["GET", "HEAD", "OPTIONS"].includes(method);
  const cookie = [...agent.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const response = await fetch(
    `${service.server.issuer}${path}${hasBody || form === "" ? "" : `?${form.slice(0, 12_000)}`}`,
    {
      method,
      redirect: "manual",
      headers: { accept: "text/html", cookie, "content-type": "application/x-www-form-urlencoded", ...headers },
      ...(hasBody ? { body: form } : {}),
    },
  );
  return { status: response.status, text: await response.text() };
}

const show = ({ agent: _, ...request }: Sent) =>
  JSON.stringify(request, (_, value) =>
    typeof value === "string" && value.length > 200 ? `${value.slice(0, 60)}… (${value.length})` : value,
  );

const encoded = (text: string) =>
  [...text].map((one) => (/^[\uD800-\uDFFF]$/.test(one) ? "%ED%A0%80" : encodeURIComponent(one))).join("");

test(`DS-16 ${REQUESTS} bent requests → none is answered 500 or worse but by saying that there is too much to do, and the server goes on`, {
  timeout: 60_000 + REQUESTS * 20,
}, async () => {
  const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 2 ** 31);
  const below = numbers(seed);
  const statuses = new Map<number, number>();
  for (let count = 0; count < REQUESTS; count += 8) {
    const batch = Array.from({ length: 8 }, () => bent(seeds[below(seeds.length)] as Sent, below));
    const answers = await Promise.all(
      batch.map((one) =>
        send(one).catch((error: unknown) => {
          throw new Error(`seed ${seed}: no answer to ${show(one)}`, { cause: error });
        }),
      ),
    );
    for (const [at, { status, text }] of answers.entries()) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect([500, 502, 504], `seed ${seed}: ${show(batch[at] as Sent)} → ${text.slice(0, 500)}`).not.toContain(status);
      expect(text).not.toMatch(/\bat .+\.ts:\d+/);
    }
    if (count % 400 === 0) service.server.tick(3_600_000);
  }
  expect(statuses.get(503) ?? 0).toBe(0);
  // Checks that the requests reach different parts of the server: each of these statuses must occur.
  for (const status of [200, 303, 400, 403, 404, 405])
    expect([status, (statuses.get(status) ?? 0) > 0]).toEqual([status, true]);
  expect((await new Agent(service.server.issuer).get("/login")).status).toBe(200);
  expect(service.server.log.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
});
