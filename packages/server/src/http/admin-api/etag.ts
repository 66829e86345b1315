/** Strong entity tags of records (RFC 9110 §8.8.3), and the condition of If-Match (§13.1.1). */

import { createHash } from "node:crypto";
import { AdminError } from "../../admin/admin-error.ts";
import { ApiRefusal } from "./problem.ts";

export function etagOf(record: unknown): string {
  return `"${createHash("sha256").update(JSON.stringify(record)).digest("base64url").slice(0, 27)}"`;
}

const LIST = /^\s*(?:"[\x21\x23-\x7e]*"|W\/"[\x21\x23-\x7e]*")(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e]*")*\s*$/;

/** The check of a record against the header. A weak tag never matches. */
export function matcherOf(header: string | undefined): (record: unknown) => void {
  if (header === undefined) throw new ApiRefusal("precondition_missing");
  if (header.trim() === "*") return () => undefined;
  if (header.length > 1000 || !LIST.test(header)) {
    throw new ApiRefusal("field_invalid", [{ field: "If-Match", problem: "must be the ETag of the record" }]);
  }
  const tags = header.split(",").map((one) => one.trim());
  return (record) => {
    if (!tags.includes(etagOf(record))) throw new AdminError("stale", []);
  };
}
