import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cyclesOf } from "../../../../test/support/reliability-cycles-and-figures.ts";
import type { NewGrant } from "../../src/oauth/storage.ts";
import type { Person } from "../../src/owners/storage.ts";
import { allBackends, type Opened } from "./support/backends.ts";
import { ModelConsent, type ModelGrant } from "./support/grant-model.ts";
import {
  aGrant,
  aHash,
  anApproval,
  aRedemption,
  aRefresh,
  aStoredPerson,
  DAY,
  MINUTE,
  NOW,
  SECOND,
  statusOf,
} from "./support/record-builders.ts";

type Step =
  | { readonly do: "wait"; readonly for: number }
  | {
      readonly do: "issue";
      readonly scopes: readonly string[];
      readonly apis: "one" | "many";
      readonly refreshable: boolean;
    }
  | {
      readonly do: "redeem";
      readonly of: number;
      readonly wrong: "nothing" | "verifier" | "redirect" | "client" | "salt";
      readonly named: boolean;
    }
  | {
      readonly do: "refresh";
      readonly of: number;
      readonly behind: number;
      readonly rotate: boolean;
      readonly client: "own" | "other";
      readonly named: boolean;
    }
  | { readonly do: "end"; readonly of: number }
  | { readonly do: "narrow"; readonly remove: string }
  | { readonly do: "revoke" };

const which = fc.nat({ max: 2 });
const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: fc.constantFrom(...others) });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      for: fc.constantFrom(
        1,
        SECOND,
        15 * SECOND,
        30 * SECOND,
        30 * SECOND + 1,
        MINUTE,
        5 * MINUTE,
        30 * DAY,
        90 * DAY,
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("issue" as const),
      scopes: fc.constantFrom(["read"], ["write"], ["read", "write"]),
      apis: mostly<"one" | "many">("one", "many"),
      refreshable: mostly(true, false),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("redeem" as const),
      of: which,
      wrong: mostly<"nothing" | "verifier" | "redirect" | "client" | "salt">(
        "nothing",
        "verifier",
        "redirect",
        "client",
        "salt",
      ),
      named: fc.boolean(),
    }),
  },
  {
    weight: 20,
    arbitrary: fc.record({
      do: fc.constant("refresh" as const),
      of: which,
      behind: mostly(0, 1, 1, 2, -1, 5),
      rotate: mostly(true, false),
      client: mostly<"own" | "other">("own", "other"),
      named: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("end" as const), of: which }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("narrow" as const), remove: fc.constantFrom("read", "write", "print") }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "revoke" as const }) },
);

let opened: Opened | undefined;
let steps = 0;
const seen = new Set<string>();

beforeAll(async () => {
  opened = await allBackends.find(({ name }) => name.includes("main"))?.create();
});
afterAll(async () => {
  await opened?.remove();
});

/** Sequences of about 50 steps each. */
const STORIES = cyclesOf(450, 120);

test(`${STORIES} random stories → the database does what the table of outcomes says`, {
  timeout: 60_000 + STORIES * 200,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<"forever" | number>("forever", 45, 3600, 40 * 86_400),
      fc.array(step, { minLength: 45, maxLength: 60 }),
      async (duration, story) => {
        const run = await Run.begin(duration);
        for (const each of story) await run.take(each);
      },
    ),
    { numRuns: STORIES },
  );
  expect(steps).toBeGreaterThanOrEqual(STORIES * 45);
  // With this number of sequences, every outcome must occur.
  if (STORIES < 450) return;
  for (const outcome of [
    "redeem redeemed",
    "redeem burned",
    "redeem replayed",
    "redeem replay_invalid",
    "redeem needs_resource",
    "redeem unknown",
    "refresh kept",
    "refresh rotated",
    "refresh retried",
    "refresh theft",
    "refresh needs_resource",
    "refresh ahead",
    "refresh other_client",
    "refresh ended",
    "refresh unknown",
    "issue issued",
    "issue no_consent",
    "end ended",
    "end already_ended",
    "narrow narrowed",
    "narrow revoked",
    "revoke revoked",
    "revoke unknown",
  ]) {
    expect(seen).toContain(outcome);
  }
});

/** One owner, one client and up to three grants, in the database and in the model. */
class Run {
  #now = NOW;
  readonly #person: Person;
  readonly #model: ModelConsent;
  readonly #grants: { readonly made: NewGrant; readonly model: ModelGrant }[] = [];

  constructor(person: Person, model: ModelConsent) {
    this.#person = person;
    this.#model = model;
  }

  static async begin(duration: "forever" | number): Promise<Run> {
    const person = await aStoredPerson(database());
    const made = aGrant(person, { scopes: ["read", "write"] });
    await database().grants.approve(anApproval(made, { duration }));
    const until = duration === "forever" ? null : NOW + duration * SECOND;
    const run = new Run(person, new ModelConsent(["read", "write"], until));
    run.#grants.push({ made, model: run.#model.born(made, NOW) });
    return run;
  }

  async take(step: Step): Promise<void> {
    steps += 1;
    if (step.do === "wait") {
      this.#now += step.for;
      return;
    }
    const [database, model] = await this.#both(step);
    expect(database).toEqual(model);
    seen.add(`${step.do} ${model}`);
    for (const { made, model: grant } of this.#grants) {
      const row = await statusOf(opened?.storage ?? never(), made);
      expect(row).toMatchObject(grant.visible());
    }
  }

  /** The kind of outcome in the database and in the model. */
  async #both(step: Exclude<Step, { readonly do: "wait" }>): Promise<readonly [string, string]> {
    const now = this.#now;
    const storage = database();
    const key = { partition: this.#person.partition, ownerId: this.#person.personId, clientId: "client-1" };
    switch (step.do) {
      case "issue":
        return this.#issue(step);
      case "revoke":
        return [(await storage.consents.revoke({ ...key, revokedBy: "x", now })).kind, this.#model.revoke(now)];
      case "narrow": {
        const { kind } = await storage.consents.narrow({ ...key, remove: [step.remove], by: "x", now });
        return [kind, this.#model.narrow(step.remove, now)];
      }
    }
    const grant = this.#grants[step.of % this.#grants.length] ?? never();
    if (step.do === "redeem") return this.#redeem(step, grant);
    if (step.do === "refresh") return this.#refresh(step, grant);
    const { partition, grantId, clientId } = grant.made;
    const { kind } = await storage.grants.end({
      partition,
      grantId,
      clientId,
      saltHash: aHash(`refresh ${grantId}`),
      now,
    });
    return [kind, grant.model.end(now)];
  }

  async #issue({ scopes, apis, refreshable }: Step & { readonly do: "issue" }): Promise<readonly [string, string]> {
    const now = this.#now;
    const audience = apis === "one" ? "https://api.example" : null;
    const made = aGrant(this.#person, { scopes, audience, refreshable, codeUntil: now + MINUTE });
    const { kind } = await database().grants.issue({ grant: made, now });
    if (!this.#model.covers(scopes, now)) return [kind, "no_consent"];
    // The newest grant replaces the first one in the test. The first one's row stays, but nobody presents its tokens
    // any more.
    if (this.#grants.length === 3) this.#grants.shift();
    this.#grants.push({ made, model: this.#model.born(made, now) });
    return [kind, "issued"];
  }

  async #redeem(
    { wrong, named }: Step & { readonly do: "redeem" },
    { made, model }: { readonly made: NewGrant; readonly model: ModelGrant },
  ): Promise<readonly [string, string]> {
    const changes = {
      nothing: {},
      verifier: { s256: "wrong" },
      redirect: { redirectUri: "https://evil.example/" },
      client: { clientId: "client-2" },
      salt: { codeSaltHash: aHash() },
    };
    const args = aRedemption(made, { now: this.#now, resourceNamed: named, ...changes[wrong] });
    const { kind } = await database().grants.redeem(args);
    if (wrong === "client" || wrong === "salt") return [kind, "unknown"];
    return [kind, model.redeem(wrong === "nothing", named, args)];
  }

  async #refresh(
    { behind, rotate, client, named }: Step & { readonly do: "refresh" },
    { made, model }: { readonly made: NewGrant; readonly model: ModelGrant },
  ): Promise<readonly [string, string]> {
    const generation = model.generation - behind;
    const clientId = client === "own" ? "client-1" : "client-2";
    const args = aRefresh(made, { generation, rotate, clientId, resourceNamed: named, now: this.#now });
    const { kind } = await database().grants.refresh(args);
    return [kind, model.refresh(args)];
  }
}

function database() {
  return opened?.storage ?? never();
}

function never(): never {
  throw new Error("the database was not opened");
}
