/**
 * The time that pages take to render: 100 pages a second for ten seconds, in all states and languages in turn. Run it
 * with `node bench/page-rendering.ts`.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { chrome, locales } from "../packages/server/src/pages/index.ts";
import { states } from "../packages/server/test/pages/page-states.ts";

const PER_SECOND = 100;
const SECONDS = 10;

const chromes = locales.map((locale) => chrome({ issuer: "https://auth.example.com", locale, here: "/account/apps" }));
const work = Object.values(states).flatMap((render) => chromes.map((one) => () => render(one)));
for (const render of work) render();

const took: number[] = [];
const worked: number[] = [];
const start = performance.now();
for (let count = 0; count < PER_SECOND * SECONDS; count += 1) {
  const wait = start + (count * 1000) / PER_SECOND - performance.now();
  if (wait > 0) await sleep(wait);
  const cpu = process.threadCpuUsage();
  const before = performance.now();
  work[count % work.length]?.();
  took.push(performance.now() - before);
  const { user, system } = process.threadCpuUsage(cpu);
  worked.push((user + system) / 1000);
}
const show = (times: number[]) => {
  times.sort((one, other) => one - other);
  const at = (share: number) => `${(times[Math.ceil(share * times.length) - 1] ?? 0).toFixed(2)} ms`;
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`;
};
console.log(`${took.length} pages at ${PER_SECOND} a second: ${show(took)}; of the processor: ${show(worked)}`);
