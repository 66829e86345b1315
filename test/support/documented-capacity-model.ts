/**
 * The capacity model of docs/operate/scale.md, read from the page and computed: inputs and parameters by name, and
 * results by the formulas of the page.
 */

import { DatabaseSync } from "node:sqlite";

/** One result in one column: the written value, and the value of its formula. */
export interface Cell {
  readonly name: string;
  readonly column: string;
  readonly written: string;
  readonly computed: string;
}

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * The three tables under the heading "A model of capacity": measured inputs, chosen parameters, results. Throws for an
 * invalid formula.
 */
export function capacityCells(page: string): Cell[] {
  const [measured, chosen, follows] = tablesOf(page.slice(page.indexOf("## A model of capacity")));
  if (measured === undefined || chosen === undefined || follows === undefined)
    throw new Error("three tables are needed");
  const inputs = new Map(measured.rows.map(([name = "", value = ""]) => [bare(name), numberOf(value)]));
  const columns = chosen.head.slice(2);
  return columns.flatMap((column, at) => {
    const values = new Map(inputs);
    for (const row of chosen.rows) values.set(bare(row[0] ?? ""), numberOf(row[at + 2] ?? ""));
    return follows.rows.map((row) => {
      const name = bare(row[0] ?? "");
      const value = evaluate(bare(row[1] ?? ""), values);
      values.set(name, value);
      return { name, column, written: row[at + 2] ?? "", computed: shown(value) };
    });
  });
}

function tablesOf(text: string): Table[] {
  const blocks = text.match(/(?:^\|.*\|\n)+/gm) ?? [];
  return blocks.map((block) => {
    const [head = [], , ...rows] = block
      .trimEnd()
      .split("\n")
      .map((line) =>
        line
          .slice(1, -1)
          .split("|")
          .map((cell) => cell.trim()),
      );
    return { head, rows };
  });
}

function bare(cell: string): string {
  return cell.replaceAll("`", "");
}

function numberOf(cell: string): number {
  const value = Number(cell.replaceAll(",", ""));
  if (cell === "" || Number.isNaN(value)) throw new Error(`no number: ${cell}`);
  return value;
}

/** SQL's arithmetic, with names for numbers. */
function evaluate(formula: string, values: ReadonlyMap<string, number>): number {
  const text = formula.replaceAll(/\b[a-z_]+\b(?!\()/g, (name) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`nothing is called ${name}`);
    return `CAST(${value} AS REAL)`;
  });
  const database = new DatabaseSync(":memory:");
  const value = database.prepare(`SELECT ${text} AS value`).get()?.["value"];
  database.close();
  return Number(value);
}

function shown(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 1 : 0 });
}
