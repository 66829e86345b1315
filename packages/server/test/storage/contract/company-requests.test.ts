import { expect, test } from "vitest";
import { onEveryBackend } from "../support/backends.ts";
import { anAppRule, aStaffedCompany, SHOWN } from "../support/company-builders.ts";
import { aClient, DAY, MINUTE, NOW } from "../support/record-builders.ts";

onEveryBackend("a member's request for an app", (storage) => {
  async function aRequest() {
    const { company, admin, member } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const key = { partition, companyId, clientId: "client-1", personId: member.personId };
    let mails = 0;
    /** Says what became of it, and whether the message to the admins is sent. */
    const ask = async (
      reason: string,
      now = NOW,
      more: { readonly scopes?: readonly string[]; readonly redirectUri?: string; readonly clientId?: string } = {},
    ) => {
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

  test("refused after it was replaced by one with another address, other permissions or another reason → changed, and it stays open", async () => {
    const { admin, key, ask, open } = await aRequest();
    const [first, second] = ["https://app.example/cb", "https://new.example/cb"];
    const client = aClient({ redirectUris: [first, second] });
    await storage().clients.put({ client, expect: 0 });
    const { clientId } = client;
    const refuse = async (seen: number) => {
      const outcome = await storage().companyApps.refuseRequest({
        ...{ ...key, clientId, seen, refused: ["read"], by: admin.personId, now: NOW },
      });
      return outcome.kind;
    };
    expect(await refuse(NOW)).toBe("unknown");
    const changes = [
      { redirectUri: first },
      { redirectUri: second },
      { redirectUri: second, scopes: ["read", "write"] },
      { redirectUri: second, scopes: ["read", "write"], reason: "for the catalogue" },
    ];
    let seen: number | undefined;
    for (const { reason = "for the fair", ...more } of changes) {
      // All in one millisecond.
      expect(await ask(reason, NOW, { ...more, clientId })).toEqual(["asked", true]);
      if (seen !== undefined) expect(await refuse(seen)).toBe("changed");
      const [request] = await open();
      expect(request).toMatchObject({ status: "open", reason });
      seen = request?.askedAt;
    }
    expect(await refuse(seen ?? 0)).toBe("done");
    expect(await refuse(seen ?? 0)).toBe("unknown");
    expect(await open()).toEqual([]);
  });

  test("approved after it was replaced by one for another address → the message about the first is not sent", async () => {
    const { company, admin, key, ask, open } = await aRequest();
    const { partition } = company;
    const [first, second] = ["https://app.example/cb", "https://new.example/cb"];
    const client = aClient({ redirectUris: [first, second] });
    await storage().clients.put({ client, expect: 0 });
    const { clientId } = client;
    const tells = async (mailId: string, host: string) => {
      const mail = { partition, mailId, kind: "companyApproved", sealed: new Uint8Array(1), uselessAfter: NOW + DAY };
      const news = [{ personId: key.personId, asked: ["read"], host, mails: [mail] }];
      const rule = anAppRule({ hosts: ["https://app.example", "https://new.example"] });
      const by = admin.personId;
      await storage().companyApps.setRule({ ...key, clientId, rule, shown: SHOWN, news, by, now: NOW });
      const due = await storage().mail.claim({ now: NOW + DAY - 1, limit: 1000, until: NOW + DAY });
      return due.some((one) => one.mailId === mailId);
    };
    await ask("for the fair", NOW, { redirectUri: second, clientId });
    expect(await tells(`${clientId}-1`, "https://app.example")).toBe(false);
    expect(await open()).toEqual([]);
    await storage().companyApps.setRule({ ...key, clientId, rule: null, shown: SHOWN, by: null, now: NOW });
    await ask("for the fair", NOW, { redirectUri: second, clientId });
    expect(await tells(`${clientId}-2`, "https://new.example")).toBe(true);
  });
});
