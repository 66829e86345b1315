/**
 * The table as a chart: a bar for each row, as a share of the reference, in groups that compare the same work. The SVG
 * follows the reader's light or dark theme.
 */

import type { Report, RowReport } from "./report-as-json.ts";

const WIDTH = 960;
const LEFT = 350;
const RIGHT = 150;
const BAR = 14;
const STEP = 22;
const TOP = 92;
const GROUP_GAP = 18;
const TITLE_HEIGHT = 24;

interface Group {
  readonly title: string;
  readonly rows: readonly RowReport[];
}

const groups: readonly { readonly title: string; readonly has: RegExp }[] = [
  { title: "Limits of the machine", has: /^(bare|inline|batched)$/ },
  { title: "Client credentials", has: /client-credentials/ },
  { title: "Code redemption", has: /redeem$/ },
  { title: "Refresh", has: /refresh-/ },
  { title: "Introspection", has: /introspect-/ },
  { title: "Documents", has: /^(jwks|metadata)$/ },
  { title: "People: sign-in, and authorize → consent → code → token", has: /(cycle|sign-in)$/ },
];

/** A complete SVG. Without rows, it is only a frame. */
export function chartOf(report: Report): string {
  const shown: readonly Group[] = groups
    .map(({ title, has }) => ({
      title,
      rows: report.rows.filter(({ name, ratio }) => ratio !== null && has.test(name)),
    }))
    .filter(({ rows }) => rows.length > 0);
  const most = Math.max(1, ...shown.flatMap(({ rows }) => rows.map(({ ratio }) => ratio?.max ?? 0)));
  const scale = (value: number) => LEFT + (value / most) * (WIDTH - LEFT - RIGHT);
  const parts: string[] = [];
  let y = TOP;
  for (const { title, rows } of shown) {
    parts.push(text(24, y + 14, title, "group"));
    y += TITLE_HEIGHT;
    for (const row of rows) {
      parts.push(bar(row, y, scale, report));
      y += STEP;
    }
    y += GROUP_GAP;
  }
  const axis = line(scale(1), TOP - 14, scale(1), y - GROUP_GAP, "axis");
  return frame(y + 30, [
    axis,
    text(scale(1), TOP - 20, "1 = bare node:http + ES256 inline", "axis-label"),
    ...parts,
    foot(y, report),
  ]);
}

function bar(row: RowReport, y: number, scale: (value: number) => number, report: Report): string {
  const { median = 0, min = 0, max = 0 } = row.ratio ?? {};
  const middle = y + BAR / 2;
  const rate = row.rate.median.toLocaleString("en", { maximumFractionDigits: 0 });
  const whisker = [
    line(scale(min), middle, scale(max), middle, "whisker"),
    line(scale(min), middle - 3, scale(min), middle + 3, "whisker"),
    line(scale(max), middle - 3, scale(max), middle + 3, "whisker"),
  ];
  const goal = row.goal === null ? "" : `<path d="M${n(scale(row.goal))} ${y - 2}v${BAR + 4}" class="goal"/>`;
  return [
    text(40, y + 11, whoOf(row, report), "who"),
    text(LEFT - 10, y + 11, workOf(row, report), "work"),
    `<rect x="${LEFT}" y="${y}" width="${n(Math.max(1, scale(median) - LEFT))}" height="${BAR}" rx="2" class="${kindOf(row)}"/>`,
    ...whisker,
    goal,
    text(
      Math.max(scale(max), row.goal === null ? 0 : scale(row.goal)) + 8,
      y + 11,
      `${median.toFixed(2)} × · ${rate}/s`,
      "value",
    ),
  ].join("");
}

function kindOf({ server }: RowReport): string {
  if (server === "assent" || server === "postgres") return server;
  return server === "bare" || server === "inline" || server === "batched" ? "limit" : "peer";
}

function whoOf({ server }: RowReport, { peers }: Report): string {
  if (server === "assent") return "Assent, SQLite";
  if (server === "postgres") return "Assent, PostgreSQL";
  return peers.find(({ name }) => name === server)?.name ?? "node:http";
}

/** The row's name as in --only, without the name of its server. */
function workOf({ name, server }: RowReport, { peers }: Report): string {
  return server === "postgres" || peers.some((peer) => peer.name === server) ? name.slice(server.length + 1) : name;
}

function foot(y: number, { machine, node, at, rounds }: Report): string {
  const what = `${at.slice(0, 10)} · ${machine.cores} × ${machine.cpu} · Node ${node.slice(1)} · one core for the server, one for the load`;
  return text(24, y + 10, `${what} · medians of ${rounds} rounds, whiskers min–max; red marks are goals`, "foot");
}

function frame(height: number, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">
<title id="title">Requests a second as shares of bare node:http with one ES256 signature</title>
<style>
svg{--back:#fff;--text:#1f2328;--soft:#59636e;--line:#d1d9e0;--assent:#0969da;--postgres:#1a7f64;--peer:#9a6700;--limit:#818b98;--goal:#cf222e;font:13px system-ui,-apple-system,"Segoe UI",sans-serif}
@media(prefers-color-scheme:dark){svg{--back:#0d1117;--text:#f0f6fc;--soft:#9198a1;--line:#3d444d;--assent:#4493f8;--postgres:#3fb08a;--peer:#d29922;--limit:#656c76;--goal:#ff7b72}}
.back{fill:var(--back)}text{fill:var(--text)}.head{font-size:17px;font-weight:600}.group{font-weight:600}.who,.foot,.axis-label,.sub{fill:var(--soft);font-size:12px}.axis-label{text-anchor:middle}.work{text-anchor:end;font-size:12px}.value{font-size:12px;font-variant-numeric:tabular-nums;paint-order:stroke;stroke:var(--back);stroke-width:4px}
.assent{fill:var(--assent)}.postgres{fill:var(--postgres)}.peer{fill:var(--peer)}.limit{fill:var(--limit)}.axis{stroke:var(--soft);stroke-dasharray:3 3}.whisker{stroke:var(--text);stroke-opacity:.7}.goal{stroke:var(--goal);stroke-width:2.5;fill:none}
</style>
<rect width="100%" height="100%" class="back"/>
${text(24, 32, "Requests a second, as shares of the reference", "head")}
${text(24, 52, "Higher is better. All with the same work: ES256 access tokens, PKCE, one signature each. Peers keep everything in memory.", "sub")}
${parts.join("\n")}
</svg>
`;
}

function text(x: number, y: number, content: string, kind: string): string {
  return `<text x="${n(x)}" y="${n(y)}" class="${kind}">${escaped(content)}</text>`;
}

function line(x1: number, y1: number, x2: number, y2: number, kind: string): string {
  return `<path d="M${n(x1)} ${n(y1)}L${n(x2)} ${n(y2)}" class="${kind}"/>`;
}

function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
