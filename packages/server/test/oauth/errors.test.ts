/** The catalogue of conditions: rules for every refusal. */

import { describe, expect, test } from "vitest";
import {
  type Condition,
  type ConditionName,
  conditions,
  errorParameters,
  publicCondition,
  publicConditions,
} from "../../src/oauth/errors.ts";

const all = Object.entries(conditions) as [ConditionName, Condition][];

describe.each(all)("%s", (name, condition) => {
  test("its public condition is public itself, with text and help", () => {
    const shown = publicCondition(name);
    const told: Condition = conditions[shown];
    expect(told.public).toBeUndefined();
    expect(told.description).not.toBe("");
    expect(told.help.length).toBeGreaterThan(20);
    // RFC 6749 §5.2: code and status must not tell the caller more than the text.
    expect([condition.error, condition.status]).toEqual([told.error, told.status]);
  });

  test("its text has only the characters of RFC 6749 §5.2", () => {
    expect(errorParameters(name, "https://as.test", null).error_description).toMatch(
      /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/,
    );
  });
});

test("error_uri leads to the page of the public condition, with the number of the request", () => {
  const uriOf = (requestId: string | null) =>
    errorParameters("client_secret_wrong", "https://as.test", requestId).error_uri;
  expect([uriOf(null), uriOf("R1")]).toEqual([
    "https://as.test/errors/invalid_client",
    "https://as.test/errors/invalid_client?id=R1",
  ]);
  expect(publicConditions()).toContain("invalid_client");
  expect(publicConditions()).not.toContain("client_secret_wrong");
});

test("conditions that must not be told apart are one to the client", () => {
  const grants = [
    "code_unknown",
    "code_replayed",
    "refresh_token_ended",
    "refresh_token_replayed",
    "refresh_token_of_other_client",
  ] as const;
  expect(new Set(grants.map((name) => JSON.stringify(errorParameters(name, "https://as.test", null)))).size).toBe(1);
  const clients = [
    "client_unknown",
    "client_disabled",
    "client_secret_wrong",
    "client_secret_missing",
    "basic_malformed",
  ] as const;
  expect(new Set(clients.map((name) => JSON.stringify(errorParameters(name, "https://as.test", null)))).size).toBe(1);
});
