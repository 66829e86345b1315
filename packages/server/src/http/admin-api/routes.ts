/** Finds the operation of a method and a path below the API. */

import type { Operation } from "./operation.ts";
import { operations } from "./operations/index.ts";

export type Found =
  | { readonly kind: "found"; readonly operation: Operation; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: "other_method"; readonly allow: string }
  | { readonly kind: "unknown" };

/** The identifier of an API may have 2,048 characters. */
const MAX_PARAM = 2048;

const table = operations.map((operation) => ({ operation, segments: operation.path.split("/") }));

export function find(path: string, method: string): Found {
  const segments = decoded(path);
  if (segments === undefined) return { kind: "unknown" };
  const all = table.flatMap(({ operation, segments: wanted }) => {
    const params = paramsOf(wanted, segments);
    return params === undefined ? [] : [{ operation, params }];
  });
  // No record has a name such as `revoke` or `import`: a path without a named part is only itself.
  const literal = all.filter(({ params }) => Object.keys(params).length === 0);
  const fitting = literal.length > 0 ? literal : all;
  const found = fitting.find(({ operation }) => operation.method === method);
  if (found !== undefined) return { kind: "found", ...found };
  if (fitting.length === 0) return { kind: "unknown" };
  const methods = fitting.map(({ operation }) => operation.method);
  return { kind: "other_method", allow: [...methods, ...(methods.includes("GET") ? ["HEAD"] : [])].join(", ") };
}

/** An escaped slash belongs to its segment. Undefined: an escape is malformed. */
function decoded(path: string): readonly string[] | undefined {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function paramsOf(wanted: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (wanted.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, pattern] of wanted.entries()) {
    const segment = segments[at] ?? "";
    if (!pattern.startsWith("{")) {
      if (segment !== pattern) return undefined;
    } else if (segment === "" || segment.length > MAX_PARAM) return undefined;
    else params[pattern.slice(1, -1)] = segment;
  }
  return params;
}
