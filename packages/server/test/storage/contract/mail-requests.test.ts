import { expect, test } from "vitest";
import { onEveryBackend } from "../support/backends.ts";
import { aLink, aMail, aMailRequest } from "../support/mail-builders.ts";
import { aHash, aStoredPerson, DAY, MINUTE, NOW } from "../support/record-builders.ts";

const SECOND = 1000;

onEveryBackend("requests for mail", (storage) => {
  /** Empties the queues of requests and messages that other tests left. */
  const drain = async () => {
    const late = NOW + 1000 * DAY;
    for (;;) {
      const requests = await storage().mailRequests.claim({ now: late, limit: 100, pause: 1 });
      for (const one of requests) await storage().mailRequests.remove(one);
      const mails = await storage().mail.claim({ now: late, limit: 100, until: late + 1 });
      for (const one of mails)
        await storage().mail.settle({ ...one, outcome: { kind: "dead", fault: "another test" } });
      if (requests.length + mails.length === 0) return;
    }
  };
  const ask = (request = aMailRequest(7), most = 1000, now = NOW) => storage().mailRequests.add({ request, most, now });
  const claim = (now = NOW, limit = 10) => storage().mailRequests.claim({ now, limit, pause: 15 * SECOND });

  test("as many wait as may, requests and messages together → refused, and nothing is stored; one fewer → stored", async () => {
    await drain();
    await storage().mail.post({ mails: [aMail(3), aMail(4)], now: NOW + DAY });
    expect(await ask(aMailRequest(5), 3)).toBe(true);
    expect(await ask(aMailRequest(6), 3)).toBe(false);
    expect(await claim()).toHaveLength(1);
    expect(await ask(aMailRequest(6), 3)).toBe(false);
    expect(await ask(aMailRequest(6), 4)).toBe(true);
  });

  test("nothing asked → nothing; asked → taken on once, then again after the pause, each time a longer one", async () => {
    await drain();
    expect(await claim()).toEqual([]);
    const request = aMailRequest(8);
    await ask(request);
    expect(await claim(NOW - 1)).toEqual([]);
    expect(await claim()).toEqual([{ ...request, tries: 1, createdAt: NOW }]);
    expect(await claim(NOW + 15 * SECOND - 1)).toEqual([]);
    const second = NOW + 15 * SECOND;
    expect(await claim(second)).toEqual([{ ...request, tries: 2, createdAt: NOW }]);
    expect(await claim(second + 30 * SECOND - 1)).toEqual([]);
    expect(await claim(second + 30 * SECOND)).toHaveLength(1);
  });

  test("removed by the process that has it → gone; by one that had it before → it stays", async () => {
    await drain();
    const request = aMailRequest(9);
    await ask(request);
    await claim();
    await claim(NOW + MINUTE);
    expect(await storage().mailRequests.remove({ ...request, tries: 1 })).toBe(false);
    expect(await storage().mailRequests.remove({ ...request, tries: 2 })).toBe(true);
    expect(await claim(NOW + DAY)).toEqual([]);
  });

  test("twenty callers at once → each request has one", async () => {
    await drain();
    const requests = Array.from({ length: 10 }, (_, at) => aMailRequest(at));
    for (const request of requests) await ask(request);
    const claimed = (await Promise.all(Array.from({ length: 20 }, () => claim(NOW, 100)))).flat();
    expect(claimed.map(({ requestId }) => requestId).sort()).toEqual(requests.map(({ requestId }) => requestId).sort());
  });

  test("oldest first, up to the limit", async () => {
    await drain();
    const [late, early] = [aMailRequest(1), aMailRequest(2)];
    await ask(late, 1000, NOW);
    await ask(early, 1000, NOW - 1);
    expect((await claim(NOW, 1)).map(({ requestId }) => requestId)).toEqual([early.requestId]);
  });

  test("nobody answers for a day, because mail is off → collected; younger → not", async () => {
    await drain();
    const [old, young] = [aMailRequest(11), aMailRequest(12)];
    await ask(old);
    await ask(young, 1000, NOW + 1);
    await storage().housekeeping.collectGarbage({ now: NOW + DAY, limit: 10_000 });
    expect((await claim(NOW + DAY)).map(({ requestId }) => requestId)).toEqual([young.requestId]);
  });

  test("a link is made twice with one id → one link, with the first secret, and one message", async () => {
    await drain();
    const person = await aStoredPerson(storage());
    const link = aLink(person, "recover");
    const [first, second] = [aHash(), aHash()];
    const mails = [aMail(person.partition), aMail(person.partition)];
    await storage().mailLinks.create({ link, saltHash: first, mails: mails.slice(0, 1), now: NOW });
    await storage().mailLinks.create({ link, saltHash: second, mails: mails.slice(1), now: NOW });
    const key = { partition: link.partition, linkId: link.linkId, purpose: "recover", now: NOW } as const;
    expect(await storage().mailLinks.find({ ...key, saltHash: first })).toEqual(link);
    expect(await storage().mailLinks.find({ ...key, saltHash: second })).toBeUndefined();
    const waiting = await storage().mail.claim({ now: NOW, limit: 10, until: NOW + 1 });
    expect(waiting.map(({ mailId }) => mailId)).toEqual([mails[0]?.mailId]);
  });
});
