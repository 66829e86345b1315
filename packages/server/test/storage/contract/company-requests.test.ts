import { expect, test } from "vitest";
import { onEveryBackend } from "../support/backends.ts";
import { aStaffedCompany } from "../support/company-builders.ts";
import { DAY, MINUTE, NOW } from "../support/record-builders.ts";

onEveryBackend("a member's request for an app", (storage) => {
  async function aRequest() {
    const { company, admin, member } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const key = { partition, companyId, clientId: "client-1", personId: member.personId };
    let mails = 0;
    /** Says what became of it, and whether the message to the admins is sent. */
    const ask = async (reason: string, now = NOW, more: { readonly scopes?: readonly string[] } = {}) => {
      const mailId = `${companyId}-${mails++}`;
      const mail = { partition, mailId, kind: "companyRequest", sealed: new Uint8Array(1), uselessAfter: NOW + DAY };
      const wish = { ...key, scopes: ["read"], reason, mails: [mail], now, ...more };
      const { kind } = await storage().companyApps.askApproval(wish);
      const due = await storage().mail.claim({ now: NOW + DAY - 1, limit: 1000, until: NOW + DAY });
      return [kind, due.some((one) => one.mailId === mailId)];
    };
    const open = () => storage().companyApps.listRequests({ ...key, limit: 9 });
    return { ...{ company, admin, member, key }, ask, open };
  }

  test("the same again with the same reason → nothing changes; with another one → the admins get that one", async () => {
    const { ask, open } = await aRequest();
    expect(await ask("for the fair")).toEqual(["asked", true]);
    expect(await ask("for the fair", NOW + MINUTE)).toEqual(["repeated", false]);
    expect(await open()).toMatchObject([{ reason: "for the fair", askedAt: NOW }]);
    expect(await ask("for the catalogue", NOW + 2 * MINUTE)).toEqual(["asked", true]);
    expect(await open()).toMatchObject([{ reason: "for the catalogue", askedAt: NOW + 2 * MINUTE, scopes: ["read"] }]);
    expect(await open()).toHaveLength(1);
  });
});
