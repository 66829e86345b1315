/**
 * Metrics in Prometheus' text format (version 0.0.4): counters, gauges and histograms. The program chooses all label
 * values.
 */

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  /** For a histogram: the sum of the observed values. */
  readonly value: number;
  /** For a histogram: the number of values in each bucket, not cumulated. The last bucket has no upper bound. */
  readonly buckets?: readonly number[];
}

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** The upper bounds of a histogram's buckets. */
  readonly bounds?: readonly number[];
  /** True: a sum over processes would have no meaning, so each process has its own value with the label `worker`. */
  readonly each?: true;
  readonly samples: readonly Sample[];
}

/** The metrics of one process at one moment, as plain data that can be sent to another process. */
export type Snapshot = readonly Family[];

/** Maximum number of label values for one family. Further values count as `other`, so that memory stays bounded. */
const MOST_SERIES = 500;
/** Joins label values to a key. No label value contains this character. */
const BETWEEN = "\u0000";

/** One counter of a family, for callers that often count under the same labels. */
export interface Tally {
  value: number;
}

export class Counter {
  readonly #counts = new Map<string, Tally>();
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];

  constructor(name: string, help: string, labels: readonly string[]) {
    this.name = name;
    this.help = help;
    this.labels = labels;
  }

  /** Adds one for these label values, given in the order of the labels. */
  count(...values: readonly string[]): void {
    this.of(...values).value += 1;
  }

  /** The counter for these label values, given in the order of the labels. */
  of(...values: readonly string[]): Tally {
    const key = boundedKey(this.#counts, values);
    let tally = this.#counts.get(key);
    if (tally === undefined) {
      tally = { value: 0 };
      this.#counts.set(key, tally);
    }
    return tally;
  }

  family(): Family {
    const samples = [...this.#counts].map(([key, { value }]) => ({ labels: labelled(this.labels, key), value }));
    return { name: this.name, help: this.help, type: "counter", samples };
  }
}

/** The observed values for one set of labels. */
interface Observed {
  sum: number;
  readonly buckets: number[];
}

export class Histogram {
  readonly #seen = new Map<string, Observed>();
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly bounds: readonly number[];

  constructor(name: string, help: string, labels: readonly string[], bounds: readonly number[]) {
    this.name = name;
    this.help = help;
    this.labels = labels;
    this.bounds = bounds;
  }

  observe(value: number, ...values: readonly string[]): void {
    const entry = this.#entry(values);
    let at = 0;
    while (at < this.bounds.length && value > (this.bounds[at] ?? 0)) at += 1;
    entry.sum += value;
    entry.buckets[at] = (entry.buckets[at] ?? 0) + 1;
  }

  #entry(values: readonly string[]): Observed {
    const key = boundedKey(this.#seen, values);
    let entry = this.#seen.get(key);
    if (entry === undefined) {
      entry = { sum: 0, buckets: new Array<number>(this.bounds.length + 1).fill(0) };
      this.#seen.set(key, entry);
    }
    return entry;
  }

  family(): Family {
    const samples = [...this.#seen].map(([key, { sum, buckets }]) => ({
      labels: labelled(this.labels, key),
      value: sum,
      buckets: [...buckets],
    }));
    return { name: this.name, help: this.help, type: "histogram", bounds: this.bounds, samples };
  }
}

function boundedKey(known: ReadonlyMap<string, unknown>, values: readonly string[]): string {
  const key = values.length === 1 ? (values[0] ?? "") : values.join(BETWEEN);
  return known.has(key) || known.size < MOST_SERIES ? key : values.map(() => "other").join(BETWEEN);
}

function labelled(names: readonly string[], key: string): Labels {
  if (names.length === 0) return {};
  const values = key.split(BETWEEN);
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""]));
}

/** A family with one value and no labels. */
export function plain(type: "counter" | "gauge", name: string, help: string, value: number): Family {
  return { name, help, type, samples: [{ labels: {}, value }] };
}

/** Merges the metrics of several processes: adds values that can be added, and gives the others the label `worker`. */
export function merged(parts: readonly { readonly worker: string; readonly snapshot: Snapshot }[]): Snapshot {
  const families = new Map<string, Family & { samples: Sample[] }>();
  for (const { worker, snapshot } of parts) {
    for (const family of snapshot) {
      let into = families.get(family.name);
      if (into === undefined) {
        into = { ...family, samples: [] };
        families.set(family.name, into);
      }
      for (const sample of family.samples) addTo(into.samples, family.each ? withWorker(sample, worker) : sample);
    }
  }
  return [...families.values()];
}

function withWorker(sample: Sample, worker: string): Sample {
  return { ...sample, labels: { ...sample.labels, worker } };
}

function addTo(samples: Sample[], added: Sample): void {
  const key = labelText(added.labels);
  const at = samples.findIndex(({ labels }) => labelText(labels) === key);
  const before = samples[at];
  if (before === undefined) {
    samples.push(added);
    return;
  }
  const value = before.value + added.value;
  samples[at] =
    before.buckets === undefined
      ? { labels: before.labels, value }
      : {
          labels: before.labels,
          value,
          buckets: before.buckets.map((one, each) => one + (added.buckets?.[each] ?? 0)),
        };
}

/** The text that a Prometheus server reads. */
export function exposition(snapshot: Snapshot): string {
  return `${snapshot.flatMap(linesOf).join("\n")}\n`;
}

function linesOf(family: Family): string[] {
  const { name, help, type, samples } = family;
  const lines = [`# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`, `# TYPE ${name} ${type}`];
  for (const sample of samples) {
    if (sample.buckets === undefined) lines.push(`${name}${labelText(sample.labels)} ${sample.value}`);
    else lines.push(...histogramLines(family, sample, sample.buckets));
  }
  return lines;
}

function histogramLines(
  { name, bounds = [] }: Family,
  { labels, value }: Sample,
  buckets: readonly number[],
): string[] {
  let below = 0;
  const lines = buckets.map((count, at) => {
    below += count;
    const le = at < bounds.length ? String(bounds[at]) : "+Inf";
    return `${name}_bucket${labelText({ ...labels, le })} ${below}`;
  });
  return [...lines, `${name}_sum${labelText(labels)} ${value}`, `${name}_count${labelText(labels)} ${below}`];
}

function labelText(labels: Labels): string {
  const entries = Object.entries(labels);
  if (entries.length === 0) return "";
  const escaped = (text: string) => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return `{${entries.map(([name, value]) => `${name}="${escaped(value)}"`).join(",")}}`;
}
