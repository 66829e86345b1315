/** A plan says which access stays after a change, and which counts again. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aLiveCompanyGrant, join } from "../storage/support/company-builders.ts";
import { aLiveGrant, aStoredPerson } from "../storage/support/record-builders.ts";
import { aDatabase, apply, type TestDatabase } from "./support/test-configuration.ts";

const FILE = `version: 1
name: small
scopes:
  read:
    description: See your photos
  write:
    description: Change your photos
clients:
  web:
    client_name: Web App
    type: confidential
    client_secret: {env: SECRET}
    redirect_uris: [https://web.example.com/callback]
    scope: read write
companies:
  acme:
    name: Acme
`;
const without = (grant: string) => FILE.replace("    redirect", `    grant_types: [${grant}]\n    redirect`);

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  let at: TestDatabase;
  beforeAll(async () => {
    at = await aDatabase(kind);
    await apply(FILE, at.admin);
    const { storage } = at.admin;
    await aLiveGrant(storage, { clientId: "web" });
    const acme = await storage.companies.find({ slug: "acme" });
    if (acme === undefined) throw new Error("acme is not there");
    const admin = await aStoredPerson(storage);
    await join(storage, acme, admin, "admin");
    await aLiveCompanyGrant(storage, acme, admin, { clientId: "web" });
  });
  afterAll(() => at.close());

  const notes = async (text: string) => (await apply(text, at.admin)).notes;

  test("nothing ended by the change, or comes back by it → no word", async () => {
    const renamed = FILE.replace("Web App", "Web").replace("name: Acme", "name: Acme Inc");
    expect(await notes(renamed)).toEqual([]);
    expect(await notes(FILE)).toEqual([]);
    expect(await notes(FILE.replace("    scope: read write", "    scope: openid read write"))).toEqual([]);
    await notes(FILE);
  });

  test("a client is disabled → which consents stay; enabled → that they count again", async () => {
    const disabled = FILE.replace("Web App\n", "Web App\n    status: disabled\n");
    expect(await notes(disabled)).toEqual([
      "client web: 2 consents of owners will stay. They count again when you enable the client again: then apps get access without asking the owner.",
    ]);
    expect(await notes(FILE)).toEqual([
      "client web: These count again: 2 consents. With them, apps get access without asking the owner.",
    ]);
  });

  test("a company is disabled → which consents stay; enabled → that they count again", async () => {
    expect(await notes(`${FILE}    status: disabled\n`)).toEqual([
      "company acme: 1 consent will stay. It counts again when you enable the company again: then apps get access without asking the owner.",
    ]);
    expect(await notes(FILE)).toEqual([
      "company acme: These count again: 1 consent. With them, apps get access without asking the owner.",
    ]);
  });

  test("a scope is given back to a client, with a new one → how many consents have it again", async () => {
    await notes(FILE.replace("scope: read write", "scope: write"));
    expect(await notes(FILE.replace("scope: read write", "scope: openid read write"))).toEqual([
      "client web: These count again for read: 2 consents. With them, the app gets this access without asking the owner, also with refresh tokens from before.",
    ]);
  });

  test("a limit of consents is raised → how many consents it ended before", async () => {
    const limited = FILE.replace("Web App\n", "Web App\n    consent_ceiling: 1\n");
    expect((await apply(limited, at.admin)).changes).toMatchObject([{ ends: { consents: 2 } }]);
    expect(await notes(FILE)).toEqual([
      "client web: The earlier limit had ended these, and they count again: 2 consents. With them, the app gets access without asking the owner, also with refresh tokens from before.",
    ]);
  });

  test("refresh tokens are allowed again → those from before work again", async () => {
    await aLiveGrant(at.admin.storage, { clientId: "web" });
    await notes(without("authorization_code"));
    expect(await notes(FILE)).toEqual(["client web: Refresh tokens from before work again, until they expire."]);
  });
});
