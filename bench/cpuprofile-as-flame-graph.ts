/** A .cpuprofile as a flame graph in one HTML file, which loads nothing else. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The output of V8's profiler. Times are in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/**
 * A function below its callers: name, source position, and microseconds with and without the functions that it called.
 */
export interface Frame {
  readonly name: string;
  readonly place: string;
  total: number;
  self: number;
  readonly children: Frame[];
}

/** Frames with a smaller share are too narrow to see. */
const LEAST_SHARE = 0.0005;

/** The tree of a profile. The same function below the same callers is one frame. Idle time is left out. */
export function framesOf({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const self = new Map<number, number>();
  samples.forEach((id, at) => {
    self.set(id, (self.get(id) ?? 0) + Math.max(0, timeDeltas[at] ?? 0));
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const build = (ids: readonly number[], into: Frame): void => {
    const below = new Map<string, { frame: Frame; ids: number[] }>();
    for (const id of ids) {
      const node = byId.get(id);
      if (node === undefined || isOutside(node.callFrame)) continue;
      const { functionName, url, lineNumber } = node.callFrame;
      const place = url === "" ? "" : `${shortPath(url)}:${lineNumber + 1}`;
      const found = below.get(`${functionName} ${place}`) ?? {
        frame: { name: functionName || "(anonymous)", place, total: 0, self: 0, children: [] },
        ids: [],
      };
      below.set(`${functionName} ${place}`, found);
      found.frame.self += self.get(id) ?? 0;
      found.ids.push(...(node.children ?? []));
    }
    for (const { frame, ids: children } of below.values()) {
      build(children, frame);
      frame.total = frame.self + frame.children.reduce((sum, { total }) => sum + total, 0);
      into.children.push(frame);
    }
    into.children.sort((a, b) => b.total - a.total);
  };
  const root: Frame = { name: "all", place: "", total: 0, self: 0, children: [] };
  const top = nodes.find(({ callFrame }) => callFrame.functionName === "(root)");
  build(top?.children ?? [], root);
  root.total = root.children.reduce((sum, { total }) => sum + total, 0);
  return root;
}

/** Idle time, or the profiler itself. */
function isOutside({ functionName, url }: CpuProfile["nodes"][number]["callFrame"]): boolean {
  return functionName === "(idle)" || url.endsWith("/bench/cpu-profile-on-request.ts");
}

/** A path that is short enough to read, relative to the package or to node. */
function shortPath(url: string): string {
  const path = url.replace(/^file:\/\//, "");
  const inModules = path.lastIndexOf("/node_modules/");
  if (inModules !== -1) return path.slice(inModules + "/node_modules/".length);
  return path.replace(/^.*\/(packages|bench)\//, "$1/");
}

/** Writes `<folder>/<name>.html` for `<name>.cpuprofile`. Returns a summary. */
export function writeFlameGraph(folder: string, name: string): string {
  const profile = JSON.parse(readFileSync(join(folder, `${name}.cpuprofile`), "utf8")) as CpuProfile;
  const file = join(folder, `${name}.html`);
  const root = framesOf(profile);
  writeFileSync(file, flameGraph(root, name));
  const places = `profile of ${name}: ${join(folder, `${name}.cpuprofile`)}\nflame graph: ${file}`;
  return `${places}\n\nOf the main thread's time, by what runs itself:\n${topOf(root).join("\n")}`;
}

/** The functions that take the most time themselves, with any callers. */
export function topOf(root: Frame, many = 15): string[] {
  const times = new Map<string, number>();
  const walk = ({ name, place, self, children }: Frame): void => {
    const what = `${name} ${place}`.trim();
    times.set(what, (times.get(what) ?? 0) + self);
    for (const child of children) walk(child);
  };
  walk(root);
  const sorted = [...times].sort(([, a], [, b]) => b - a).slice(0, many);
  return sorted.map(([what, time]) => `${((time / root.total) * 100).toFixed(1).padStart(6)} %  ${what}`);
}

/** The page. Leaves out frames that are too narrow to see. */
export function flameGraph(root: Frame, title: string): string {
  const shown = (frame: Frame): unknown => [
    frame.name,
    frame.place,
    Math.round(frame.total),
    Math.round(frame.self),
    frame.children.filter(({ total }) => total >= root.total * LEAST_SHARE).map(shown),
  ];
  // `<` in a function's name would end the script.
  const data = JSON.stringify(shown(root)).replaceAll("<", "\\u003c");
  return page(title.replaceAll(/[<>&"]/g, ""), data);
}

function page(title: string, data: string): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}: flame graph</title>
<style>
:root{color-scheme:light dark;--back:#fff;--text:#1f2328;--soft:#59636e;--ours:#8ec5ff;--node:#c9d1d9;--others:#f2cc8f;--native:#b7e4c7;--found:#ff7b72}
@media(prefers-color-scheme:dark){:root{--back:#0d1117;--text:#f0f6fc;--soft:#9198a1;--ours:#1f4f8f;--node:#373e47;--others:#6b4e16;--native:#1d5c3f;--found:#a8322c}}
body{margin:0;padding:1rem;background:var(--back);color:var(--text);font:14px/1.4 system-ui,sans-serif}h1{font-size:1.2rem;margin:0 0 .5rem}
p{margin:.25rem 0;color:var(--soft)}#bar{display:flex;gap:.75rem;flex-wrap:wrap;align-items:center;margin:.5rem 0}input,button{font:inherit;padding:.25rem .5rem}
#graph{position:relative;margin-top:.5rem}#graph button{position:absolute;height:19px;padding:0 4px;border:1px solid var(--back);border-radius:3px;overflow:hidden;white-space:nowrap;text-align:left;font:12px/17px system-ui,sans-serif;color:var(--text);cursor:pointer}
.ours{background:var(--ours)}.node{background:var(--node)}.others{background:var(--others)}.native{background:var(--native)}#graph .found{background:var(--found)}.key{color:var(--text);padding:0 .4rem;border-radius:3px}#told{min-height:2.8em}
</style>
<h1>${title}: where the main thread's time goes</h1>
<p>Width is time, callers above what they call. Click a frame to look closer. <span class="key ours">Assent</span> <span class="key others">packages</span> <span class="key node">Node</span> <span class="key native">V8 and native</span></p>
<div id="bar"><button id="back" type="button">Show all</button><label>Find <input id="find" type="search"></label></div>
<p id="told" aria-live="polite"></p><div id="graph"></div>
<script>
const all=${data},graph=document.getElementById("graph"),told=document.getElementById("told"),find=document.getElementById("find");
let root=all;
const kind=([name,place])=>place===""?"native":place.startsWith("node:")?"node":/^(packages|bench)\\//.test(place)?"ours":"others";
const share=(time)=>(time/all[2]*100).toFixed(1)+" %";
const say=([name,place,total,self])=>{told.textContent=name+(place&&" ("+place+")")+": "+share(total)+" with what it calls, "+share(self)+" itself"};
function draw(){graph.replaceChildren();const wide=graph.clientWidth,text=find.value.toLowerCase();let deepest=0,matched=0;
const put=(frame,x,depth,counted)=>{const width=frame[2]/root[2]*wide;if(width<1.5)return;deepest=Math.max(deepest,depth);
const found=text!==""&&(frame[0]+" "+frame[1]).toLowerCase().includes(text);if(found&&!counted)matched+=frame[2];
const one=document.createElement("button");one.type="button";one.className=found?"found":kind(frame);one.style.left=x+"px";one.style.top=depth*20+"px";one.style.width=width+"px";
one.textContent=width>30?frame[0]:"";one.title=frame[0]+" "+frame[1]+" "+share(frame[2]);one.onclick=()=>{root=frame;draw()};one.onfocus=one.onmouseenter=()=>say(frame);graph.append(one);
let at=x;for(const child of frame[4]){put(child,at,depth+1,counted||found);at+=child[2]/root[2]*wide}};
put(root,0,0,false);graph.style.height=(deepest+1)*20+"px";if(text!=="")told.textContent="found: "+share(matched)}
document.getElementById("back").onclick=()=>{root=all;draw()};find.oninput=draw;addEventListener("resize",draw);draw();say(all);
</script></html>
`;
}
