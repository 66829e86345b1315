/** Settings and the protected resource's own metadata (RFC 9728): wrong ones are refused at the start, all at once. */

import { describe, expect, test } from "vitest";
import { conditions, ResourceServerError } from "../src/bearer-errors.ts";
import {
  createResourceServer,
  hasScope,
  protectedResourceMetadata,
  protectedResourceMetadataUrl,
} from "../src/index.ts";
import { metadataUrl } from "../src/issuer-metadata.ts";
import { AUDIENCE } from "./support/issuer.ts";

const issuer = "https://login.example";
// A program without types may pass anything.
const create = (options: Record<string, unknown>) => () =>
  (createResourceServer as (options: unknown) => unknown)({ issuer, audience: AUDIENCE, ...options });

describe("createResourceServer", () => {
  test.each<[string, unknown[]]>([
    [
      "issuer",
      [
        undefined,
        "",
        "login.example",
        "http://login.example",
        "ftp://x",
        "https://x/?a",
        "https://x/#a",
        "https://a:b@x",
        "https://a@x",
        "https://:b@x",
        1,
        "http://127.0.0.1.evil.example",
        "http://localhost.evil.example",
      ],
    ],
    ["audience", [undefined, "", 1, [AUDIENCE]]],
    ["algorithms", [[], ["none"], ["HS256"], ["ES256", "HS512"], ["es256"], "ES256", [undefined]]],
    ["clockTolerance", [-1, 61, Number.NaN, Number.POSITIVE_INFINITY, "10"]],
    ["jwksUri", ["keys", "http://login.example/keys", "", 1]],
    ["realm", ['a"b', "a\\b", "a\r\nb", "é", ""]],
    ["resourceMetadata", ["", "metadata", 'https://x/"']],
    ["scope", ["", " ", [], [""], "a  b", 'a"b', 1]],
  ])("a wrong %s → TypeError that names it", (name, values) => {
    for (const value of values) expect(create({ [name]: value }), String(value)).toThrow(new RegExp(name));
  });
  test("several wrong → all are named", () => {
    expect(create({ issuer: "x", clockTolerance: 99, algorithms: ["none"] })).toThrow(
      /issuer.*algorithms.*clockTolerance/,
    );
  });
  test.each([
    "https://login.example",
    "https://login.example/",
    "https://login.example/a",
    "http://localhost:3000",
    "http://127.9.9.9",
    "http://[::1]:3000",
  ])("issuer %s → fine", (it) => {
    expect(createResourceServer({ issuer: it, audience: AUDIENCE }).issuer).toBe(it);
  });
});

test("an issuer's metadata URL → the well-known part before its path, no final slash", () => {
  const wellKnown = "https://login.example/.well-known/oauth-authorization-server";
  expect(metadataUrl("https://login.example")).toBe(wellKnown);
  expect(metadataUrl("https://login.example/")).toBe(wellKnown);
  expect(metadataUrl("https://login.example/a/b")).toBe(`${wellKnown}/a/b`);
  expect(metadataUrl("https://login.example/a/b/")).toBe(`${wellKnown}/a/b`);
});

test("hasScope → whole names alone", () => {
  expect(hasScope({ scope: "a:b c" }, "a")).toBe(false);
  expect(hasScope({ scope: "a:b c" }, "C")).toBe(false);
  expect(hasScope({ scope: "a:b c" }, "")).toBe(false);
  expect(hasScope({}, "a")).toBe(false);
  expect(hasScope({ scope: "a:b c" }, "c")).toBe(true);
});

test("every description → fits into a quoted string of RFC 6750 §3, and no error holds more than its own words", () => {
  for (const condition of Object.keys(conditions) as (keyof typeof conditions)[]) {
    const error = new ResourceServerError(condition, { realm: "r", resourceMetadata: null }, "secret detail", {
      scope: "a b",
    });
    expect(error.description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
    expect(error.message + JSON.stringify(error.body) + JSON.stringify(error.headers)).not.toContain("secret");
    expect(error.wwwAuthenticate === undefined).toBe(error.status === 503);
  }
});

describe("protected resource metadata", () => {
  test("only what was given → only that", () => {
    expect(protectedResourceMetadata({ issuer, audience: AUDIENCE })).toEqual({
      resource: AUDIENCE,
      authorization_servers: [issuer],
      bearer_methods_supported: ["header"],
    });
  });
  test("its address → the well-known part between host and path", () => {
    expect(() => protectedResourceMetadataUrl("photos")).toThrow(TypeError);
    const wellKnown = "https://photos.example/.well-known/oauth-protected-resource";
    expect(protectedResourceMetadataUrl("https://photos.example")).toBe(wellKnown);
    expect(protectedResourceMetadataUrl("https://photos.example/api?v=2")).toBe(`${wellKnown}/api?v=2`);
  });
});
