/** Runs other requests between two steps of a verb, to test an order that concurrent calls hit only rarely. */

import type { Call, StepsVerb, Verb } from "../../../src/storage/define-verbs.ts";

/** Runs a verb of several steps. Calls `meanwhile` right after the first (or the `nth`) run of the step `after`. */
export function interrupted<A, O>(
  engine: { readonly call: Call },
  verb: StepsVerb<A, O>,
  args: A,
  after: Verb<never, unknown>,
  meanwhile: () => Promise<unknown>,
  nth = 1,
): Promise<O> {
  let taken = 0;
  const call: Call = async (step, given) => {
    const outcome = await (step.kind === "steps" ? step.body(call, given) : engine.call(step, given));
    if ((step as unknown) === after) taken += 1;
    if ((step as unknown) === after && taken === nth) await meanwhile();
    return outcome;
  };
  return verb.body(call, args);
}
