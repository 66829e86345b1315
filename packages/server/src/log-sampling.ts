/** Lines of the log that anybody can cause in any number: the first few of a minute are written, the others counted. */

type Fields = Readonly<Record<string, unknown>>;

/** How long lines of one cause are counted together, in milliseconds. */
const WINDOW = 60_000;
/** Lines of one cause from one source that are written in a window. */
const OF_A_SOURCE = 5;
/** Lines of one cause that are written in a window, whatever their sources. */
const OF_A_CAUSE = 100;
/** Sources that are counted by themselves in a window, for all causes. Those beyond are counted together. */
const MOST_SOURCES = 10_000;
/** Sources of one cause that are counted by themselves in any case: a flood of another cause leaves no others. */
const SHARE_OF_A_CAUSE = 100;
/** Sources of one cause that get a line of their own at the end of a window: those that repeated it most. */
const NAMED = 20;

/** A line that may be one of many. */
export interface Repeatable {
  /** What all lines of this cause have in common. */
  readonly cause: Readonly<Record<string, string>>;
  /** Whence it came: one field, such as the network. */
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
  /** Lines of sources that are not counted by themselves. */
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

  /** Writes how often each line was repeated, and begins anew. */
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
      // The process doesn't live on for it: closing the server flushes.
      this.#timer ??= setTimeout(() => this.flush(), this.#window).unref();
    }
    return cause;
  }

  /** Undefined: there are too many to count this one by itself. */
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
