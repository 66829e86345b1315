/** Which known name somebody may have meant by a wrong one. */

/** The known name that is most like a wrong one, or ends with it (`name`, `client_name`). Undefined: none is like it. */
export function nearest(wrong: string, known: readonly string[]): string | undefined {
  const scored = known.map((name) => ({ name, distance: distanceOf(wrong.slice(0, 60), name) }));
  const [best] = scored.sort((one, other) => one.distance - other.distance);
  const isNear = best !== undefined && best.distance <= Math.max(1, Math.floor(best.name.length / 3));
  return isNear ? best.name : known.find((name) => name.endsWith(`_${wrong}`));
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
