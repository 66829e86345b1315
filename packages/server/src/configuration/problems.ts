/** What is wrong with a configuration, and where in its file. */

export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Problem {
  /** The keys that lead to it in the file, with dots between them; null: the file as a whole. */
  readonly field: string | null;
  /** Without the value: it could be a secret. */
  readonly problem: string;
  readonly place?: Place | undefined;
}

/** Nothing was changed. */
export class ConfigurationError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ field, problem }) => (field === null ? problem : `${field}: ${problem}`)).join("\n"));
    this.name = "ConfigurationError";
    this.problems = problems;
  }
}

/** Most problems that are told at once. */
const MOST = 30;

export function refuseAll(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const more = problems.length - MOST;
  const rest = more > 0 ? [{ field: null, problem: `${more} more problems are not shown` }] : [];
  throw new ConfigurationError([...problems.slice(0, MOST), ...rest]);
}

/** The known name that is most like a wrong one. Undefined: none is like it. */
export function nearest(wrong: string, known: readonly string[]): string | undefined {
  const scored = known.map((name) => ({ name, distance: distanceOf(wrong.slice(0, 60), name) }));
  const [best] = scored.sort((one, other) => one.distance - other.distance);
  return best !== undefined && best.distance <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : undefined;
}

/** Levenshtein's distance. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
