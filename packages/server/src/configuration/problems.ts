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
