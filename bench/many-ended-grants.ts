/**
 * The cost of an owner's actions as their ended grants grow: `node bench/many-ended-grants.ts [members]`. All owners are
 * in one database and take turns, so the ratios to the first column depend little on other work of the machine.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewGrant } from "../packages/server/src/oauth/storage.ts";
import { openStorage, type Storage } from "../packages/server/src/storage/open.ts";
import { LATER, manyGrants } from "../packages/server/test/storage/support/many-grants.ts";
import { aHash, anApproval, anId, HOUR } from "../packages/server/test/storage/support/record-builders.ts";
import { startCluster } from "../test/support/postgres-cluster.ts";
import { markdown } from "./report-as-markdown.ts";

const SIZES = [10, 1_000, 100_000];
const MEMBERS = Number(process.argv[2] ?? 20_000);
const ROUNDS = 60;
const WARM_UP = 15;

type Actions = Readonly<Record<string, () => Promise<unknown>>>;

/** What the pages and endpoints ask of the storage for one owner, and for one company. */
async function actionsOf(storage: Storage, url: string, ended: number): Promise<Actions> {
  const cases = await manyGrants(storage, url, { ended, members: MEMBERS });
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
        storage.consents.lastIssues({ ...owner, personId: null, since: now - HOUR }),
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

/** The median of the milliseconds of each action, for each number of ended grants. */
async function measure(storage: Storage, url: string): Promise<string[][]> {
  const owners: Actions[] = [];
  for (const size of SIZES) owners.push(await actionsOf(storage, url, size));
  const rows: string[][] = [];
  for (const label of Object.keys(owners[0] ?? {})) {
    const took = owners.map(() => [] as number[]);
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      for (const [at, actions] of owners.entries()) {
        const began = performance.now();
        await actions[label]?.();
        if (round >= WARM_UP) took[at]?.push(performance.now() - began);
      }
    }
    const medians = took.map((times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN);
    const [first = Number.NaN] = medians;
    const cells = medians.map((ms, at) => `${ms.toFixed(2)} ms${at === 0 ? "" : ` (× ${(ms / first).toFixed(2)})`}`);
    rows.push([label, ...cells]);
  }
  return rows;
}

const columns = SIZES.map((size) => `${size.toLocaleString("en")} ended grants`);
const folder = mkdtempSync(join(tmpdir(), "assent-bench-"));
const cluster = await startCluster({ durable: true, settings: { shared_buffers: "512MB" } });
try {
  for (const [name, url] of [
    ["SQLite", `sqlite:${join(folder, "assent.db")}`],
    ["PostgreSQL", cluster.url("postgres")],
  ] as const) {
    const storage = await openStorage({ url });
    await storage.migrate({ now: 0 });
    const rows = await measure(storage, url);
    console.log(
      `${markdown(
        columns,
        rows.map(([label = "", ...cells]) => [`${label}, ${name}`, ...cells]),
      )}\n`,
    );
    await storage.close();
  }
} finally {
  await cluster.remove();
  rmSync(folder, { recursive: true });
}
