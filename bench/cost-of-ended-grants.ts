/**
 * The cost of an owner's actions as their ended grants grow, a part of `npm run bench -- --growth`. All owners are in one
 * database and take turns, so the ratios to the first column depend little on other work of the machine.
 */

import { join } from "node:path";
import type { NewGrant } from "../packages/server/src/oauth/storage.ts";
import { openStorage, type Storage } from "../packages/server/src/storage/open.ts";
import { LATER, manyGrants } from "../packages/server/test/storage/support/many-grants.ts";
import { aHash, anApproval, anId, HOUR } from "../packages/server/test/storage/support/record-builders.ts";
import { startCluster } from "../test/support/postgres-server.ts";
import { spread } from "./report-as-json.ts";
import { markdown } from "./report-as-markdown.ts";

const SIZES = [10, 1_000, 100_000];
/** Members of the company, each of whom acts for it in one app. */
const MEMBERS = 20_000;
/** `warmUp`: rounds that don't count. */
const ROUNDS = { warmUp: 15, counted: 60 };

type Actions = Readonly<Record<string, () => Promise<unknown>>>;

/** What the pages and endpoints ask of the storage for one owner, and for one company. */
async function actionsOf(
  storage: Storage,
  url: string,
  sizes: { readonly ended: number; readonly members: number },
): Promise<Actions> {
  const cases = await manyGrants(storage, url, sizes);
  const [approval, inCompany] = ["grants.approve", "grants.issue"].map((name) =>
    cases.filter(([verb]) => verb === name).map(([, args]) => (args as { readonly grant: NewGrant }).grant),
  );
  const own = approval?.[0];
  const members = inCompany?.find(({ ownerId, personId }) => ownerId !== personId);
  if (own === undefined || members === undefined) throw new Error("no grants to repeat");
  const again = (grant: NewGrant): NewGrant => ({
    ...{ ...grant, grantId: anId(grant.partition), codeSaltHash: aHash(), codeUntil: LATER + HOUR },
  });
  const now = LATER;
  const owner = { partition: own.partition, ownerId: own.ownerId };
  const company = { partition: members.partition, companyId: members.ownerId };
  return {
    "an authorization": async () => issued(await storage.grants.approve(anApproval(again(own), { now }))),
    "the dashboard": () =>
      Promise.all([
        storage.consents.list({ ...owner, now }),
        storage.scopeUses.list(owner),
        storage.consents.lastIssues({ ...owner, personId: null, since: now - HOUR, restoredAt: 0 }),
      ]),
    "an authorization in a company's name": async () =>
      issued(await storage.grants.issue({ grant: again(members), now })),
    "the company's page": () =>
      Promise.all([
        storage.companyApps.list({ ...company, now }),
        storage.companyApps.listRules(company),
        storage.companyApps.grantsOfMember({ ...company, personId: members.personId, now }),
      ]),
  };
}

function issued({ kind }: { readonly kind: string }): void {
  if (kind !== "issued") throw new Error(`a grant was ${kind}`);
}

export interface EndedGrants {
  /** Number of ended grants of each owner. */
  readonly sizes: readonly number[];
  /** `ms`: the median for each size. */
  readonly actions: readonly { readonly label: string; readonly ms: readonly number[] }[];
}

/** `most`: larger numbers of ended grants, and of members, are left out. */
export async function measureEndedGrants(folder: string, most: number, rounds = ROUNDS): Promise<EndedGrants> {
  const sizes = SIZES.filter((size) => size <= most);
  const cluster = await startCluster({ durable: true, settings: { shared_buffers: "512MB" } });
  const actions: EndedGrants["actions"][number][] = [];
  try {
    for (const [database, url] of [
      ["SQLite", `sqlite:${join(folder, "ended-grants.db")}`],
      ["PostgreSQL", cluster.url("postgres")],
    ] as const) {
      const storage = await openStorage({ url });
      await storage.migrate({ now: 0 });
      const members = Math.min(MEMBERS, most);
      const owners: Actions[] = [];
      for (const ended of sizes) owners.push(await actionsOf(storage, url, { ended, members }));
      for (const [label, ms] of await inTurns(owners, rounds)) actions.push({ label: `${label}, ${database}`, ms });
      await storage.close();
    }
  } finally {
    await cluster.remove();
  }
  return { sizes, actions };
}

/** The median of the milliseconds of each action, for each owner. */
async function inTurns(owners: readonly Actions[], rounds: typeof ROUNDS): Promise<Map<string, number[]>> {
  const medians = new Map<string, number[]>();
  for (const label of Object.keys(owners[0] ?? {})) {
    const took = owners.map(() => [] as number[]);
    for (let round = 0; round < rounds.warmUp + rounds.counted; round += 1) {
      for (const [at, actions] of owners.entries()) {
        const began = performance.now();
        await actions[label]?.();
        if (round >= rounds.warmUp) took[at]?.push(performance.now() - began);
      }
    }
    medians.set(
      label,
      took.map((times) => spread(times).median),
    );
  }
  return medians;
}

/** One line for each action, one column for each size, compared with the first size. */
export function endedGrantsTable({ sizes, actions }: EndedGrants): string {
  return markdown(
    sizes.map((size) => `${size.toLocaleString("en")} ended grants`),
    actions.map(({ label, ms: [first = Number.NaN, ...more] }) => [
      label,
      `${first.toFixed(2)} ms`,
      ...more.map((ms) => `${ms.toFixed(2)} ms (× ${(ms / first).toFixed(2)})`),
    ]),
  );
}
