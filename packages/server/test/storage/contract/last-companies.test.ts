/** The company that a person chose last for an app. */

import { expect, test } from "vitest";
import { onEveryBackend } from "../support/backends.ts";
import { aStoredPerson, NOW, SECOND } from "../support/record-builders.ts";

onEveryBackend("the company chosen last for an app", (storage) => {
  test("nobody's, or a deleted person's → not stored", async () => {
    const person = await aStoredPerson(storage());
    const { partition, personId } = person;
    const note = { partition, clientId: "client-1", companyId: "company-1", chosenAt: NOW };
    await storage().lastCompanies.note({ ...note, personId: "nobody" });
    expect(await storage().lastCompanies.list({ partition, personId: "nobody" })).toEqual(new Map());
    await storage().lastCompanies.note({ ...note, personId });
    await storage().people.delete({ partition, personId, now: NOW });
    expect(await storage().lastCompanies.list({ partition, personId })).toEqual(new Map());
  });

  test("another company → replaces the one before, for this app alone; the page of the app reads it", async () => {
    const { partition, personId } = await aStoredPerson(storage());
    const first = { companyId: "company-1", chosenAt: NOW };
    const second = { companyId: "company-2", chosenAt: NOW + SECOND };
    const note = { partition, personId };
    await storage().lastCompanies.note({ ...note, clientId: "client-1", ...first });
    await storage().lastCompanies.note({ ...note, clientId: "client-2", ...first });
    await storage().lastCompanies.note({ ...note, clientId: "client-1", ...second });
    const all = await storage().lastCompanies.list(note);
    expect(all).toEqual(
      new Map([
        ["client-1", second],
        ["client-2", first],
      ]),
    );
    const read = (clientId: string) => storage().members.consentAndCompaniesOf({ ...note, clientId, now: NOW });
    expect((await read("client-1")).lastCompany).toEqual(second);
    expect((await read("client-3")).lastCompany).toBeUndefined();
  });
});
