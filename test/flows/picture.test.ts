/**
 * A person's picture: upload, address, claim, removal. A person must never lose a picture by a failed upload, must never
 * see a removed picture at its address, and must never find their place or camera in the file that apps get.
 */

import { once } from "node:events";
import { connect } from "node:net";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PICTURES_AN_HOUR } from "../../packages/server/src/owners/account/picture.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { MAX_PICTURE_BYTES, PICTURE_SIZE } from "../../packages/server/src/pictures/picture-of-person.ts";
import { aBomb } from "../support/hostile-pictures.ts";
import { Agent, authorize, authorizeUrl, type Page, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let app: TestClient;
beforeAll(async () => {
  server = await startServer();
  app = await server.addClient({ scopes: ["openid", "profile", "email"] });
});
afterAll(() => server.stop());

const red = { r: 200, g: 30, b: 30, alpha: 1 };
const aPicture = (width = 400, height = 300) => sharp({ create: { width, height, channels: 4, background: red } });
const aPng = () => aPicture().png().toBuffer();

async function somebody() {
  const person = await server.addPerson({ name: "Ada Lovelace" });
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  return { person, agent };
}

const csrfOf = (page: Page) =>
  page.forms.find(({ action }) => action.endsWith("/profile/picture"))?.fields.get("csrf") ?? "";

/** As a browser posts the page's form. */
async function upload(agent: Agent, file: Uint8Array, { csrf, name = "me.png", type = "image/png" } = {} as Sent) {
  const form = new FormData();
  form.set("csrf", csrf ?? csrfOf(await agent.get("/account/profile")));
  form.set("picture", new File([new Uint8Array(file)], name, { type }));
  return agent.request("POST", "/account/profile/picture", form);
}
interface Sent {
  readonly csrf?: string;
  readonly name?: string;
  readonly type?: string;
}

const pictureIn = (page: Page) => /<img class="portrait" src="([^"]+)"/.exec(page.text)?.[1];
const shown = async (agent: Agent) => pictureIn(await agent.get("/account/profile"));
const fetched = (path: string) => fetch(new URL(path, server.issuer));

async function withPicture() {
  const { person, agent } = await somebody();
  const answer = await agent.follow(await upload(agent, await aPng()));
  const path = pictureIn(answer) ?? "";
  expect(path).toMatch(/^\/pictures\/[\w-]{22}\.webp$/);
  return { person, agent, path, answer };
}

const tokenOf = async (person: Person, scope: string, ask: Record<string, string> = {}) =>
  (
    await redeem(
      server,
      app,
      await authorize(new Agent(server.issuer), authorizeUrl(server, app, { scope, ...ask }), person.username),
    )
  ).body;
const userInfo = async (person: Person, scope: string) => {
  const { access_token } = await tokenOf(person, scope);
  const answer = await fetch(`${server.issuer}/userinfo`, { headers: { authorization: `Bearer ${access_token}` } });
  return (await answer.json()) as Record<string, unknown>;
};

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>';
const png = Buffer.from("89504e470d0a1a0a", "hex");

describe("an upload that fails → says why, and the present picture stays", () => {
  test.each<[string, () => Promise<Uint8Array> | Uint8Array, string, Sent?]>([
    ["no file", () => Buffer.alloc(0), "Choose a file first."],
    ["text", () => Buffer.from("hello"), "not a PNG, JPEG, WebP or GIF"],
    ["SVG as image/svg+xml", () => Buffer.from(svg), "not a PNG", { name: "me.svg", type: "image/svg+xml" }],
    ["SVG with a picture's type", () => Buffer.from(svg), "not a PNG, JPEG, WebP or GIF"],
    ["HTML", () => Buffer.from("<!doctype html><script>alert(1)</script>"), "not a PNG, JPEG, WebP or GIF"],
    ["SVG behind the first bytes of a PNG", () => Buffer.concat([png, Buffer.from(svg)]), "can’t read this picture"],
    ["a picture that is cut off", async () => (await aPng()).subarray(0, 300), "can’t read this picture"],
    ["50,000 × 50,000 pixels in a kilobyte", () => aBomb(), "can’t read this picture"],
    ["a byte too many", () => Buffer.alloc(MAX_PICTURE_BYTES + 1), "larger than 8 MB"],
    ["40 MB", () => Buffer.alloc(40_000_000), "larger than 8 MB"],
  ])("UI-15: %s", async (_, file, words, sent) => {
    const { agent, path } = await withPicture();
    const answer = await agent.follow(await upload(agent, await file(), sent));
    expect(answer.text).toContain(words);
    expect(answer.text).toMatch(/<title>Error/);
    expect(pictureIn(answer)).toBe(path);
    expect((await fetched(path)).status).toBe(200);
  });

  test("wrong form token, and somebody else's → 400 or 403, nothing changes", async () => {
    const { agent, path } = await withPicture();
    const other = await somebody();
    for (const csrf of ["x", csrfOf(await other.agent.get("/account/profile"))]) {
      expect((await upload(agent, await aPng(), { csrf })).status).toBeGreaterThanOrEqual(400);
      expect((await agent.post("/account/profile/picture/remove", { csrf })).status).toBeGreaterThanOrEqual(400);
    }
    expect(await shown(agent)).toBe(path);
    expect(await shown(other.agent)).toBeUndefined();
  });

  test("from another site → refused", async () => {
    const { agent, path } = await withPicture();
    const form = new FormData();
    form.set("csrf", csrfOf(await agent.get("/account/profile")));
    form.set("picture", new File([new Uint8Array(await aPng())], "me.png"));
    const answer = await agent.request("POST", "/account/profile/picture", form, { "sec-fetch-site": "cross-site" });
    expect(answer.status).toBe(403);
    expect(await shown(agent)).toBe(path);
  });

  test("nobody is signed in, small or large → sign-in page", async () => {
    const stranger = new Agent(server.issuer);
    for (const file of [await aPng(), Buffer.alloc(1_000_000)]) {
      const answer = await upload(stranger, file, { csrf: "x" });
      expect(answer.location?.pathname).toBe("/login");
    }
  });

  test("an ordinary form, JSON, or a form that is no form → nothing changes", async () => {
    const { agent, path } = await withPicture();
    const csrf = csrfOf(await agent.get("/account/profile"));
    const bodies: [string, string][] = [
      ["application/x-www-form-urlencoded", `csrf=${csrf}&picture=x`],
      ["application/json", JSON.stringify({ csrf, picture: "x" })],
      ["multipart/form-data", "no boundary"],
      ["multipart/form-data; boundary=x", `--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n${csrf}`],
    ];
    for (const [type, body] of bodies) {
      const answer = await agent.request("POST", "/account/profile/picture", body, { "content-type": type });
      expect([type, answer.status]).toEqual([type, 403]);
    }
    expect(await shown(agent)).toBe(path);
  });

  test(`${PICTURES_AN_HOUR} in an hour → the next one waits; others and removal don't`, async () => {
    const { agent, path } = await withPicture();
    for (let at = 1; at < PICTURES_AN_HOUR; at += 1) await upload(agent, Buffer.from("hello"));
    const refused = await agent.follow(await upload(agent, await aPng()));
    expect(refused.text).toContain("uploaded too many pictures");
    expect(pictureIn(refused)).toBe(path);
    expect((await withPicture()).path).not.toBe(path);
    const csrf = csrfOf(refused);
    await agent.post("/account/profile/picture/remove", { csrf });
    expect(await shown(agent)).toBeUndefined();
    server.tick(3_600_000);
    const later = await agent.follow(await upload(agent, await aPng()));
    expect(later.text).toContain("Your picture was changed.");
  });

  test("three at once by one person → one has to try again, none is lost or mixed", async () => {
    const { agent } = await somebody();
    const csrf = csrfOf(await agent.get("/account/profile"));
    const answers = await Promise.all(
      [1, 2, 3].map(async () =>
        upload(agent, await aPicture(1200, 1200).png({ compressionLevel: 0 }).toBuffer(), { csrf }),
      ),
    );
    const wheres = answers.map(({ location }) => location?.search).sort();
    expect(wheres.filter((where) => where === "?done=picture").length).toBeGreaterThanOrEqual(2);
    expect(["?done=picture", "?picture=busy"]).toContain(wheres.at(-1));
    expect((await fetched((await shown(agent)) ?? "")).status).toBe(200);
  });
});

test("connections that end in the middle of an upload → free their places", async () => {
  const { agent } = await somebody();
  const { hostname, port } = new URL(server.url);
  const cookie = [...agent.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  for (let at = 0; at < 10; at += 1) {
    const head = [
      "POST /account/profile/picture HTTP/1.1",
      ...[`Host: ${new URL(server.issuer).host}`, `Cookie: ${cookie}`, "Content-Length: 100000"],
      ...["Content-Type: multipart/form-data; boundary=x", "", "--x\r\n"],
    ];
    const socket = connect(Number(port), hostname);
    socket.write(head.join("\r\n"));
    // The server has read the headers and looked up the session when it has answered a later request.
    await agent.get("/account/profile");
    socket.destroy();
    await once(socket, "close");
  }
  const answer = await agent.follow(await upload(agent, await aPng()));
  expect(answer.text).toContain("Your picture was changed.");
});

describe("a picture", () => {
  test.each(["png", "jpeg", "webp", "gif"] as const)("%s → a WebP square without metadata", async (format) => {
    const { agent } = await somebody();
    const file = await aPicture(640, 480)
      .withExif({ IFD0: { Copyright: "a secret place" } })
      .toFormat(format)
      .toBuffer();
    const answer = await agent.follow(await upload(agent, file, { name: "../../x.html", type: "text/html" }));
    expect(answer.text).toContain("Your picture was changed.");
    const bytes = Buffer.from(await (await fetched(pictureIn(answer) ?? "")).arrayBuffer());
    const { format: made, width, height, exif, pages = 1 } = await sharp(bytes).metadata();
    expect({ made, width, height, exif, pages }).toEqual({
      ...{ made: "webp", width: PICTURE_SIZE, height: PICTURE_SIZE, exif: undefined, pages: 1 },
    });
    expect(bytes.toString("latin1")).not.toContain("secret place");
  });

  test("animated → its first frame; small and long → not larger", async () => {
    const { agent } = await somebody();
    const frames = await Promise.all([aPicture(40, 40).png().toBuffer(), aPicture(40, 40).negate().png().toBuffer()]);
    const animated = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    expect((await sharp(animated).metadata()).pages).toBe(2);
    const first = await agent.follow(await upload(agent, animated));
    const still = Buffer.from(await (await fetched(pictureIn(first) ?? "")).arrayBuffer());
    expect((await sharp(still).metadata()).pages ?? 1).toBe(1);
    const second = await agent.follow(await upload(agent, await aPicture(10, 600).png().toBuffer()));
    const small = Buffer.from(await (await fetched(pictureIn(second) ?? "")).arrayBuffer());
    expect(await sharp(small).metadata()).toMatchObject({ width: 10, height: 10 });
  });

  test("its address → anybody gets it, without cookies, as a picture and nothing else, for a day", async () => {
    const { path } = await withPicture();
    const { status, headers } = await fetched(path);
    expect({ status, ...Object.fromEntries(headers) }).toMatchObject({
      ...{ status: 200, "content-type": "image/webp", "x-content-type-options": "nosniff" },
      "cache-control": "public, max-age=86400, immutable",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "cross-origin",
    });
    expect(headers.get("set-cookie")).toBeNull();
    for (const other of [path.replace(".webp", ""), path.replace(".webp", ".png"), `${path}x`, "/pictures/x.webp"])
      expect((await fetched(other)).status).toBe(404);
  });

  test("another one, removed, disabled, deleted → the old address shows nothing", async () => {
    const { person, agent, path } = await withPicture();
    await agent.follow(await upload(agent, await aPng()));
    const next = (await shown(agent)) ?? "";
    expect(next).not.toBe(path);
    expect((await fetched(path)).status).toBe(404);
    const { storage } = server.assent;
    await storage.people.setStatus({ ...person, status: "disabled", now: server.now() });
    expect((await fetched(next)).status).toBe(404);
    await storage.people.setStatus({ ...person, status: "active", now: server.now() });
    await signIn(agent, person.username);
    const page = await agent.get("/account/profile");
    const form = page.forms.find(({ action }) => action.endsWith("/picture/remove"));
    const removed = await agent.follow(
      await agent.submit(form ?? { action: "", method: "", fields: new URLSearchParams(), buttons: [] }),
    );
    expect(removed.text).toContain("Your picture was removed.");
    expect((await fetched(next)).status).toBe(404);
    const gone = await withPicture();
    await storage.people.delete({ ...gone.person, now: server.now() });
    expect((await fetched(gone.path)).status).toBe(404);
  });

  test("on the consent page → instead of the initial", async () => {
    const { agent, path } = await withPicture();
    const page = await agent.follow(await agent.get(authorizeUrl(server, app, { scope: "openid profile" })));
    expect(/<img class="avatar"[^>]*>/.exec(page.text)?.[0]).toContain(`src="${path}" alt`);
  });

  test("in the download of all data → its bytes", async () => {
    const { agent, path } = await withPicture();
    const page = await agent.get("/account/profile/export");
    const form = page.forms.find(({ action }) => action.endsWith("/export"));
    const { account } = JSON.parse((await agent.post("/account/profile/export", form?.fields ?? {})).text);
    const bytes = Buffer.from(await (await fetched(path)).arrayBuffer());
    expect(account.picture).toBe(`data:image/webp;base64,${bytes.toString("base64")}`);
  });
});

describe("UI-15: the claim picture", () => {
  test("no scope profile, or no picture → no claim", async () => {
    const { person } = await withPicture();
    expect(await userInfo(person, "openid email")).not.toHaveProperty("picture");
    expect(await userInfo((await somebody()).person, "openid profile")).not.toHaveProperty("picture");
  });

  test("scope profile → an address of this server; the ID token has it only if it is asked for", async () => {
    const { person, path } = await withPicture();
    expect(await userInfo(person, "openid profile")).toMatchObject({ picture: server.issuer + path });
    const claimsOf = (idToken: unknown) =>
      JSON.parse(Buffer.from(String(idToken).split(".")[1] ?? "", "base64url").toString());
    expect(claimsOf((await tokenOf(person, "openid profile")).id_token)).not.toHaveProperty("picture");
    const claims = JSON.stringify({ id_token: { picture: null } });
    expect(claimsOf((await tokenOf(person, "openid profile", { claims })).id_token)).toHaveProperty(
      "picture",
      server.issuer + path,
    );
  });

  test.each(["javascript:alert(1)", "http://169.254.169.254/", "data:text/html,x"])(
    "an address as a detail (%s) → no effect",
    async (picture) => {
      const { person, agent } = await somebody();
      const page = await agent.get("/account/profile");
      const form = page.forms.find(({ action }) => action.endsWith("/details"));
      await agent.post("/account/profile/details", { ...Object.fromEntries(form?.fields ?? []), picture });
      expect(await userInfo(person, "openid profile")).not.toHaveProperty("picture");
    },
  );
});
