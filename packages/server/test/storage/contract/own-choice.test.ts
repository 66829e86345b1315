/** A person's stored choice to use an app for themselves, and how the server forgets it. */

import { expect, test } from "vitest";
import type { Person } from "../../../src/owners/storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aGrant, anApproval, aStoredPerson, NOW, SECOND, statusOf } from "../support/record-builders.ts";

function grantKey({ partition, personId }: Person) {
  return { partition, ownerId: personId, clientId: "client-1" };
}

onEveryBackend("forgetting that a person chose themselves", (storage) => {
  test("no consent, a revoked one, or an ended session → unknown; no time is changed", async () => {
    const person = await aStoredPerson(storage());
    const forget = (sessionId?: string) =>
      storage().consents.forgetChoice({ ...grantKey(person), ...(sessionId === undefined ? {} : { sessionId }) });
    expect(await forget()).toEqual({ kind: "unknown" });
    const grant = aGrant(person);
    await storage().grants.approve(anApproval(grant));
    expect(await forget("no-such-session")).toEqual({ kind: "unknown" });
    expect(await storage().consents.find(grantKey(person))).toMatchObject({ chosenAt: NOW });
    await storage().consents.revoke({ ...grantKey(person), revokedBy: person.personId, now: NOW });
    expect(await forget()).toEqual({ kind: "unknown" });
  });

  test("→ a negative time, and the grant stays; twice → unknown; changes keep it; a new answer → a choice", async () => {
    const person = await aStoredPerson(storage());
    const grant = aGrant(person, { scopes: ["read", "write"] });
    await storage().grants.approve(anApproval(grant));
    const forget = () => storage().consents.forgetChoice(grantKey(person));
    expect(await forget()).toEqual({ kind: "done" });
    expect(await storage().consents.find(grantKey(person))).toMatchObject({ chosenAt: -NOW, updatedAt: NOW });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "active" });
    expect(await forget()).toEqual({ kind: "unknown" });
    const by = person.personId;
    await storage().consents.narrow({ ...grantKey(person), remove: ["write"], by, now: NOW + SECOND });
    await storage().grants.approve(anApproval(aGrant(person), { via: "first party", now: NOW + SECOND }));
    expect(await storage().consents.find(grantKey(person))).toMatchObject({ chosenAt: -NOW });
    await storage().grants.approve(anApproval(aGrant(person), { now: NOW + 2 * SECOND }));
    expect(await storage().consents.find(grantKey(person))).toMatchObject({ chosenAt: NOW + 2 * SECOND });
  });
});
