/**
 * Wrong sign-ins that take equally long. The operator's application checks some passwords, this server checks others,
 * and a name that nobody has needs no check: without this, the time of the answer would tell which it was.
 */

import type { Millis } from "../../oauth/model.ts";

/** Who checked a password. `nobody`: there was none to check. */
export type CheckedBy = "ours" | "theirs" | "nobody";

/** Number of checks of each kind whose times are kept. */
const KEPT = 64;

export interface LikeTimesContext {
  /** Milliseconds of a clock that nobody sets. */
  clock(): Millis;
  sleep(time: Millis): Promise<unknown>;
  /** From 0 to below 1. */
  random(): number;
}

export class LikeTimes {
  readonly #took: Readonly<Record<"ours" | "theirs", Millis[]>> = { ours: [], theirs: [] };
  readonly #context: LikeTimesContext;

  constructor(context: LikeTimesContext) {
    this.#context = context;
  }

  now(): Millis {
    return this.#context.clock();
  }

  /** Does a check, and keeps its time. */
  async of<T>(by: "ours" | "theirs", check: () => Promise<T>): Promise<T> {
    const began = this.now();
    const result = await check();
    this.note(by, began);
    return result;
  }

  /** Keeps the time of a check that began then. */
  note(by: "ours" | "theirs", began: Millis): void {
    const took = this.#took[by];
    took.push(this.now() - began);
    if (took.length > KEPT) took.shift();
  }

  /** True: both kinds of check are known, so a name that nobody has needs no pretended check. */
  get known(): boolean {
    return this.#took.ours.length > 0 && this.#took.theirs.length > 0;
  }

  /** Waits as long as a random earlier check of each other kind took. `began`: when the present one did. */
  async wait(by: CheckedBy, began: Millis): Promise<void> {
    const others = (["ours", "theirs"] as const).filter((kind) => kind !== by).map((kind) => this.#sample(kind));
    const left = Math.max(...others) - (this.now() - began);
    if (left > 0) await this.#context.sleep(left);
  }

  #sample(kind: "ours" | "theirs"): Millis {
    const took = this.#took[kind];
    return took[Math.floor(this.#context.random() * took.length)] ?? 0;
  }
}
