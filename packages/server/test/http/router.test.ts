import { describe, expect, test } from "vitest";
import { Router, splitTarget } from "../../src/http/router.ts";

const router = new Router<string>();
for (const path of [
  "/",
  "/token",
  "/company/mine",
  "/company/:slug",
  "/company/:slug/members",
  "/assets/:hash/:file",
]) {
  router.add(path, path);
}
const found = (path: string) => {
  const match = router.find(path);
  return match && [match.to, match.params];
};

describe("a path that leads nowhere", () => {
  test.each([
    "",
    "*",
    "token",
    "//token",
    "/token/",
    "/Token",
    "/token;a=b",
    "/token#here",
    "/company",
    "/company/",
    "/company//members",
    "/company/acme/members/",
    "/__proto__",
    "/company/acme/__proto__",
  ])("%j → undefined", (path) => {
    expect(router.find(path)).toBeUndefined();
  });

  test.each(["/%", "/%2", "/%zz", "/token%ff", "/company/%c3%28"])(
    "%j, no escape of a character → undefined",
    (path) => {
      expect(router.find(path)).toBeUndefined();
    },
  );

  test.each(["/%2ftoken", "/token%2F", "/company%2fmine"])("%j, a slash that divides nothing → undefined", (path) => {
    expect(router.find(path)).toBeUndefined();
  });

  test("a named part of 201 letters → undefined, of 200 → found", () => {
    expect(router.find(`/company/${"a".repeat(201)}`)).toBeUndefined();
    expect(found(`/company/${"a".repeat(200)}`)?.[0]).toBe("/company/:slug");
  });
});

describe("a path that leads somewhere", () => {
  test.each([
    ["/", "/", {}],
    ["/token", "/token", {}],
    ["/t%6Fken", "/token", {}],
    ["/company/mine", "/company/mine", {}],
    ["/company/m%69ne", "/company/mine", {}],
    ["/company/acme", "/company/:slug", { slug: "acme" }],
    ["/company/a%2Fb", "/company/:slug", { slug: "a/b" }],
    ["/company/%C3%A9", "/company/:slug", { slug: "é" }],
    ["/company/__proto__", "/company/:slug", { slug: "__proto__" }],
    ["/company/acme/members", "/company/:slug/members", { slug: "acme" }],
    ["/assets/h/assent.css", "/assets/:hash/:file", { hash: "h", file: "assent.css" }],
  ])("%s → %s", (path, to, params) => {
    expect(found(path)).toEqual([to, params]);
  });
});

describe("a request's target", () => {
  test.each([
    ["/token", "/token", ""],
    ["/authorize?a=b?c", "/authorize", "a=b?c"],
    ["/?", "/", ""],
    ["https://login.test/token?a", "/token", "a"],
    ["HTTP://login.test", "/", ""],
    ["http://login.test?a=b", "/", "a=b"],
    ["*", "*", ""],
    ["login.test:443", "login.test:443", ""],
    ["ftp://login.test/token", "ftp://login.test/token", ""],
    ["http:///token", "http:///token", ""],
  ])("%s → path %s", (target, path, query) => {
    expect(splitTarget(target)).toEqual({ path, query });
  });
});
