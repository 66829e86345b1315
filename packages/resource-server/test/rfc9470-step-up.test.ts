/** What an operation asks of the sign-in behind a token (RFC 9470 §3), wrong ones first. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createResourceServer, type Requirement, type ResourceServer, ResourceServerError } from "../src/index.ts";
import { AUDIENCE, aKey, aToken, type SigningKey, seconds, startIssuer, type TestIssuer } from "./support/issuer.ts";

let key: SigningKey;
let issuer: TestIssuer;
let api: ResourceServer;
const told: string[] = [];
beforeAll(async () => {
  key = await aKey();
  issuer = await startIssuer([key.jwk]);
  const onRefusal = ({ condition }: ResourceServerError) => void told.push(condition);
  api = createResourceServer({ issuer: issuer.issuer, audience: AUDIENCE, clockTolerance: 5, onRefusal });
});
afterAll(() => issuer.close());

function asked(claims: Record<string, unknown>, requirement: Requirement): Promise<unknown> {
  const authorization = `Bearer ${aToken(issuer.issuer, key, { claims })}`;
  return api.protect(new Request("https://photos.example/", { headers: { authorization } }), requirement);
}
async function refusal(claims: Record<string, unknown>, requirement: Requirement): Promise<ResourceServerError> {
  const error = await asked(claims, requirement).catch((thrown: unknown) => thrown);
  if (!(error instanceof ResourceServerError)) throw new Error("it was accepted");
  return error;
}

describe("a sign-in that is not what is needed", () => {
  test.each<[string, Record<string, unknown>, Requirement, string]>([
    ["no acr", {}, { acr: "mfa" }, 'acr_values="mfa"'],
    ["another acr", { acr: "1fa" }, { acr: "mfa phr" }, 'acr_values="mfa phr"'],
    ["an acr that only contains it", { acr: "mfa2" }, { acr: ["mfa"] }, 'acr_values="mfa"'],
    ["an acr that is no text", { acr: ["mfa"] }, { acr: "mfa" }, 'acr_values="mfa"'],
    ["no auth_time", {}, { maxAge: 60 }, 'max_age="60"'],
    ["an auth_time that is no number", { auth_time: "9999999999" }, { maxAge: 60 }, 'max_age="60"'],
    ["too long ago", { auth_time: seconds() - 70 }, { maxAge: 60 }, 'max_age="60"'],
    [
      "strong, but too long ago",
      { acr: "mfa", auth_time: 1 },
      { acr: "mfa", maxAge: 0 },
      'acr_values="mfa", max_age="0"',
    ],
  ])("%s → 401, and the client is told what to ask for", async (_, claims, requirement, said) => {
    const error = await refusal(claims, requirement);
    expect([error.status, error.error, error.condition]).toEqual([
      ...[401, "insufficient_user_authentication", "authentication_insufficient"],
    ]);
    expect(error.wwwAuthenticate).toBe(
      `Bearer realm="${AUDIENCE}", error="insufficient_user_authentication", error_description="${error.description}", ${said}`,
    );
    expect(told.at(-1)).toBe("authentication_insufficient");
  });

  test("without the scope, either → insufficient_scope: a sign-in would not help", async () => {
    expect((await refusal({ acr: "1fa" }, { scope: "photos:delete", acr: "mfa" })).error).toBe("insufficient_scope");
  });
});

test.each<Requirement>([
  { acr: "" },
  { acr: [] },
  { acr: "a  b" },
  { acr: 'a"b' },
  { maxAge: -1 },
  { maxAge: 1.5 },
  { maxAge: Number.NaN },
])("the requirement %j → a TypeError, so that an unset variable doesn't switch the check off", async (requirement) => {
  await expect(asked({ acr: "phr", auth_time: seconds() }, requirement)).rejects.toThrow(TypeError);
});

test.each<[Record<string, unknown>, Requirement]>([
  [{ acr: "phr" }, { acr: "mfa phr" }],
  [{ auth_time: seconds() - 30 }, { maxAge: 60 }],
  [
    { acr: "mfa", auth_time: seconds() },
    { acr: ["mfa"], maxAge: 60 },
  ],
  [{}, {}],
])("%j for %j → accepted", async (claims, requirement) => {
  expect(await asked(claims, requirement)).toMatchObject({ sub: "alice" });
});
