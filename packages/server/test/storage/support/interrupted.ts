/** What other requests do between two steps of a verb: the one order of all in which something could go wrong. */

import type { Call, StepsVerb, Verb } from "../../../src/storage/sql.ts";

/** Runs a verb of several steps; right after it has taken the step `after`, for the first or the `nth` time, something else happens. */
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
