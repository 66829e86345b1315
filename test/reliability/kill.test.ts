/**
 * REL-01, REL-02, REL-05, REL-06, REL-07, REL-29, REL-30: `kill -9` at random while codes are redeemed, tokens refreshed and revoked, consent given and taken
 * back, assertions presented, devices polled and secrets guessed. What was acknowledged stays, nothing happens twice, and who lost an answer gets the same
 * one again. The journal of the client, outside the server, is what the server is held against.
 */

import { randomInt } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KillSite } from "../support/kill-setup.ts";
import {
  ClientAssertion,
  Decisions,
  DevicePoll,
  JwtGrant,
  Redemption,
  Refresh,
  Revocation,
  SamlGrant,
  type Trial,
  WrongSecrets,
} from "../support/kill-trials.ts";
import { cyclesOf, figure, inFull, inReliability, quantile } from "../support/reliability-cycles-and-figures.ts";
import { integrityOf } from "../support/server-nodes.ts";
import { onPostgres } from "../support/test-server.ts";

const DATABASE = onPostgres ? "PostgreSQL" : "SQLite";
const READY_WITHIN = 5_000;
/** Each site has its own processes and database. While one starts, the other gets requests. */
const SITES = inReliability ? 2 : 1;

const TRIALS: readonly [string, string, new (site: KillSite) => Trial][] = [
  ["REL-01", "redemption", Redemption],
  ["REL-02", "refresh", Refresh],
  ["REL-07", "revocation", Revocation],
  ["REL-29", "people allow and take back", Decisions],
  ["REL-06", "a client's assertion", ClientAssertion],
  ["REL-06", "a JWT as grant", JwtGrant],
  ["REL-06", "a SAML assertion", SamlGrant],
  ["REL-05", "a device polls", DevicePoll],
  ["REL-30", "wrong secrets", WrongSecrets],
];

/** Kills this site's processes `cycles` times. Returns the trials with their counts. */
async function killAgainAndAgain(site: KillSite, cycles: number): Promise<readonly Trial[]> {
  const trials = TRIALS.map(([, , Of]) => new Of(site));
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    await Promise.all(trials.map((trial) => trial.prepare()));
    const under = trials.flatMap((trial) => trial.present());
    await sleep(randomInt(51));
    const { again } = await site.nodes.killOne();
    await Promise.all(under);
    await again();
    await Promise.all(trials.map((trial) => trial.check()));
  }
  for (const trial of trials) await trial.finish?.(cycles);
  if (!onPostgres) expect(integrityOf(join(site.data.dataDir, "assent.db"))).toBe("ok");
  return trials;
}

function added(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const one of all) for (const [name, value] of Object.entries(one)) sum[name] = (sum[name] ?? 0) + value;
  return sum;
}

describe.each([
  { nodes: 1, cycles: cyclesOf(100, 4) },
  { nodes: 3, cycles: inReliability ? Math.ceil(cyclesOf(100) / (onPostgres ? 10 : 5)) : 2 },
])("kill -9, $cycles times, $nodes process(es) on one database", ({ nodes, cycles }) => {
  let sites: readonly KillSite[] = [];

  beforeAll(async () => {
    sites = await Promise.all(Array.from({ length: SITES }, () => KillSite.open(nodes)));
  });
  afterAll(async () => {
    await Promise.all(sites.map((site) => site.close()));
  });

  test("with nine kinds of requests under way → nothing lost, nothing twice, nothing back", {
    timeout: 60_000 + cycles * 4_000,
  }, async () => {
    const each = Math.ceil(cycles / SITES);
    // If a site fails, wait for the others, because their requests are under way.
    const ended = await Promise.allSettled(sites.map((site) => killAgainAndAgain(site, each)));
    const done = ended.map((one) => {
      if (one.status === "rejected") throw one.reason;
      return one.value;
    });
    const starts = sites.flatMap((site) => site.nodes.starts);
    const where = `kill -9, ${DATABASE}, ${nodes} process(es), ${each * SITES} cycles`;
    for (const [at, [id, what]] of TRIALS.entries()) {
      figure(id, `${what}, ${where}`, added(done.map((trials) => trials[at]?.seen ?? {})));
    }
    figure("REL-01", `start after ${where}`, {
      "ms until ready, median": quantile(starts, 0.5),
      "ms, 99 %": quantile(starts, 0.99),
      "ms at most": Math.max(...starts),
    });
    // With other tests on the machine, the time of a start says little.
    if (inFull) expect(quantile(starts, 0.9)).toBeLessThan(READY_WITHIN);
  });
});
