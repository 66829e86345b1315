/**
 * How long lists and searches of the admin API take among a million people and ten thousand clients, on both databases:
 * `npm run bench -- --lists`. The times are those of a caller, so they contain HTTP, the check of the token and the JSON.
 */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type Database, startDatabase } from "../durable-postgres.ts";
import { quantile, run } from "../load/closed-loop.ts";
import { get } from "../load/http-bytes.ts";
import { type Place, prepare } from "../prepare-database.ts";
import type { circumstances } from "../report-as-json.ts";
import { markdown } from "../report-as-markdown.ts";
import { type ServerProcess, startAssent } from "../server-processes.ts";
import { fillDirectory, type Sizes } from "./fill-directory.ts";

/** Of the 99th percentile, in milliseconds. */
export const GOAL = 50;
export const SIZES: Sizes = { people: 1_000_000, clients: 10_000 };
/** Calls at a time: one operator, and a busy day. */
const CALLERS = [1, 8];
const ROOT = "/admin/api/v1";

/** `page: 2` is the page after the first one. */
const LISTS: readonly { readonly label: string; readonly path: string; readonly page?: 2 }[] = [
  { label: "people, oldest first", path: "/users" },
  { label: "the next page", path: "/users?limit=200", page: 2 },
  { label: "people, newest first", path: "/users?sort=-created_at" },
  { label: "people by username, 200 of them", path: "/users?sort=username&limit=200" },
  { label: "usernames that begin with `grace.ki`", path: "/users?username=grace.ki" },
  { label: "addresses that begin with `hugo`, the next page", path: "/users?email=hugo", page: 2 },
  { label: "nobody has this name", path: "/users?username=zzz" },
  { label: "disabled people", path: "/users?status=disabled" },
  { label: "operators", path: "/users?operator=any" },
  { label: "disabled people whose username begins with `ada`", path: "/users?username=ada&status=disabled" },
  { label: "clients", path: "/clients" },
  { label: "clients, the next page", path: "/clients?limit=200", page: 2 },
  { label: "clients, newest first", path: "/clients?sort=-created_at" },
  { label: "clients whose name begins with `App gr`", path: "/clients?name=App%20gr" },
  { label: "disabled clients", path: "/clients?status=disabled" },
  { label: "clients of a type that none has, by name", path: "/clients?name=app&type=public" },
];

interface Times {
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Of the server's processor for one answer, in milliseconds. */
  readonly cpu: number;
}

export interface ListsReport extends ReturnType<typeof circumstances> {
  readonly sizes: Sizes;
  readonly postgres: string;
  readonly lists: readonly {
    readonly label: string;
    /** By database, then by the number of callers. */
    readonly times: Readonly<Record<"sqlite" | "postgres", readonly Times[]>>;
  }[];
}

export type MeasuredLists = Pick<ListsReport, "sizes" | "postgres" | "lists">;

interface Circumstances {
  /** Of each list with each number of callers. */
  readonly seconds: number;
  readonly sizes?: Sizes;
  /** False: only SQLite. */
  readonly onPostgres?: boolean;
}

export async function measureLists(
  folder: string,
  { seconds, sizes = SIZES, onPostgres = true }: Circumstances,
): Promise<MeasuredLists> {
  const sqlite = await measureOn({ dataDir: join(folder, "lists") }, sizes, seconds);
  const { postgres, version } = onPostgres
    ? await measureOnPostgres(folder, sizes, seconds)
    : { postgres: [], version: "" };
  const lists = LISTS.map(({ label }, at) => ({
    label,
    times: { sqlite: sqlite[at] ?? [], postgres: postgres[at] ?? [] },
  }));
  return { sizes, postgres: version, lists };
}

async function measureOnPostgres(folder: string, sizes: Sizes, seconds: number) {
  const database = await startDatabase();
  try {
    const postgres = await measureOn(await placeIn(database, folder), sizes, seconds);
    return { postgres, version: database.version };
  } finally {
    await database.remove();
  }
}

async function placeIn(database: Database, folder: string): Promise<Place> {
  await database.create("lists");
  return { dataDir: join(folder, "lists-postgres"), databaseUrl: database.url("lists") };
}

async function measureOn(place: Place, sizes: Sizes, seconds: number): Promise<Times[][]> {
  const data = await prepare(place);
  try {
    await data.people(1);
    await fillDirectory(place, sizes);
    console.error(`${sizes.people} people and ${sizes.clients} clients in ${place.databaseUrl ?? place.dataDir}`);
    const token = tokenAt(data.env);
    const server = await startAssent({ env: data.env });
    try {
      const all: Times[][] = [];
      for (const list of LISTS) all.push(await timesOf(server, list, token, seconds));
      return all;
    } finally {
      await server.end();
    }
  } finally {
    await data.close();
  }
}

function tokenAt(env: Readonly<Record<string, string>>): string {
  const launcher = join(import.meta.dirname, "..", "..", "packages", "cli", "bin", "assent.js");
  const words = [launcher, "admin", "create-token", "--scope", "admin", "--expires", "86400", "--json"];
  const said = execFileSync(process.execPath, words, { env: { ...process.env, ...env }, encoding: "utf8" });
  return (JSON.parse(said) as { readonly access_token: string }).access_token;
}

async function timesOf(
  server: ServerProcess,
  { label, path, page }: (typeof LISTS)[number],
  token: string,
  seconds: number,
): Promise<Times[]> {
  const { port } = server;
  const bearer = `Bearer ${token}`;
  const first = `${ROOT}${path}`;
  const next = page === undefined ? null : await nextOf(port, first, bearer);
  const wanted = next === null ? first : `${first}&after=${next}`;
  const load = { port, next: () => ({ request: get(wanted, bearer) }) };
  await run({ ...load, connections: 1, seconds: seconds / 2 });
  const times: Times[] = [];
  for (const connections of CALLERS) {
    const before = server.usage().cpu;
    const { took, count } = await run({ ...load, connections, seconds });
    const cpu = (server.usage().cpu - before) / 1000 / count;
    times.push({ p50: quantile(took, 0.5), p99: quantile(took, 0.99), cpu });
  }
  console.error(`${label}: ${times.map(({ p50, p99 }) => `${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms`).join("; ")}`);
  return times;
}

async function nextOf(port: number, path: string, bearer: string): Promise<string | null> {
  let next: string | null = null;
  const request = {
    request: get(path, bearer),
    answered: (body: string) => {
      next = (JSON.parse(body) as { readonly next: string | null }).next;
      return undefined;
    },
  };
  const once = [request].values();
  await run({ port, connections: 1, seconds: 60, next: () => once.next().value });
  return next;
}

/** A line for each list, and whether the goal is reached. */
export function listsTable({ lists }: MeasuredLists): string {
  const of = (times: readonly Times[]) => [
    ...times.map(({ p50, p99 }) => `${p50.toFixed(1)} / ${p99.toFixed(1)}`),
    times[0]?.cpu.toFixed(1) ?? "",
  ];
  const callers = CALLERS.map((count) => (count === 1 ? "one caller" : `${count} callers`));
  return markdown(
    ["SQLite", "PostgreSQL"].flatMap((name) => [...callers, "CPU"].map((column) => `${name}, ${column}`)),
    lists.map(({ label, times }) => [label, ...of(times.sqlite), ...of(times.postgres)]),
  );
}

/** Lists whose 99th percentile with one caller is above the goal. */
export function slowLists({ lists }: MeasuredLists): readonly string[] {
  return lists.flatMap(({ label, times }) =>
    [times.sqlite, times.postgres].some(([alone]) => (alone?.p99 ?? 0) > GOAL) ? [label] : [],
  );
}
