/**
 * Samples log lines that anybody can cause in any number: the first few of a minute are written, the others counted.
 */

type Fields = Readonly<Record<string, unknown>>;

/** How long lines of one cause are counted together, in milliseconds. */
const WINDOW = 60_000;
/** Number of lines of one cause from one source that are written in a window. */
const OF_A_SOURCE = 5;
/** Number of lines of one cause from all sources that are written in a window. */
const OF_A_CAUSE = 100;
/** Maximum number of sources with their own count in a window, for all causes. Others are counted together. */
const MOST_SOURCES = 10_000;
/** Number of sources of one cause that always get their own count, even in a flood of another cause. */
const SHARE_OF_A_CAUSE = 100;
/** Number of sources of one cause with a line of their own at the end of a window: those with the most repetitions. */
const NAMED = 20;

/** A line that may be repeated. */
export interface Repeatable {
  /** The fields that all lines of this cause share. */
  readonly cause: Readonly<Record<string, string>>;
  /** The source: one field, such as the network. */
  readonly source: Readonly<Record<string, string>>;
  /** The whole line. */
  readonly fields: Fields;
  readonly text: string;
}

interface Source {
  readonly field: Readonly<Record<string, string>>;
  written: number;
  repeated: number;
}

interface Cause {
  readonly common: Readonly<Record<string, string>>;
  readonly text: string;
  readonly sources: Map<string, Source>;
  written: number;
  /** Number of lines from sources without their own count. */
  others: number;
}

export class LogSampler {
  readonly #write: (fields: Fields, text: string) => void;
  readonly #window: number;
  readonly #causes = new Map<string, Cause>();
  #sources = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (fields: Fields, text: string) => void, window = WINDOW) {
    this.#write = write;
    this.#window = window;
  }

  /** Writes the line or counts it. */
  line({ cause: common, source: field, fields, text }: Repeatable): void {
    const cause = this.#causeOf(common, text);
    const source = this.#sourceOf(cause, field);
    if ((source?.written ?? 0) < OF_A_SOURCE && cause.written < OF_A_CAUSE) {
      cause.written += 1;
      if (source !== undefined) source.written += 1;
      this.#write(fields, text);
    } else if (source === undefined) cause.others += 1;
    else source.repeated += 1;
  }

  /** Writes how often each line was repeated, and resets the counts. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const causes = [...this.#causes.values()];
    this.#causes.clear();
    this.#sources = 0;
    for (const cause of causes) this.#sum(cause);
  }

  #causeOf(common: Cause["common"], text: string): Cause {
    const key = JSON.stringify(common);
    let cause = this.#causes.get(key);
    if (cause === undefined) {
      cause = { common, text, sources: new Map(), written: 0, others: 0 };
      this.#causes.set(key, cause);
      // The timer does not keep the process alive: closing the server flushes.
      this.#timer ??= setTimeout(() => this.flush(), this.#window).unref();
    }
    return cause;
  }

  /** Undefined: there are too many sources to count this one separately. */
  #sourceOf({ sources }: Cause, field: Source["field"]): Source | undefined {
    const key = JSON.stringify(field);
    const known = sources.get(key);
    if (known !== undefined) return known;
    if (this.#sources >= MOST_SOURCES && sources.size >= SHARE_OF_A_CAUSE) return undefined;
    const source = { field, written: 0, repeated: 0 };
    sources.set(key, source);
    this.#sources += 1;
    return source;
  }

  #sum({ common, text, sources, others }: Cause): void {
    const repeating = [...sources.values()].filter(({ repeated }) => repeated > 0);
    repeating.sort((one, other) => other.repeated - one.repeated);
    for (const { field, repeated } of repeating.slice(0, NAMED))
      this.#write({ ...common, ...field, repeated }, `${text}: ${repeated} more`);
    const rest = repeating.slice(NAMED);
    const repeated = others + rest.reduce((sum, one) => sum + one.repeated, 0);
    if (repeated > 0)
      this.#write({ ...common, sources: rest.length, repeated }, `${text}: ${repeated} more, of other sources`);
  }
}
