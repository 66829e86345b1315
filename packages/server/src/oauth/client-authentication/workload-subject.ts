/** Patterns for the subjects of platform tokens, such as `repo:octo/app:ref:refs/heads/*` (RFC 7523 §3). */

const MAX_LENGTH = 1024;
const MAX_WILDCARDS = 5;
/** Parts of a subject are separated by these. A wildcard stands for one whole or partial part, and never crosses one. */
const SEPARATORS = /([/:])/;

/** What is wrong with a pattern. Undefined: nothing. */
export function subjectPatternProblem(pattern: string): string | undefined {
  if (!/^[\u0021-\u007e]+$/.test(pattern) || pattern.length > MAX_LENGTH)
    return `must be 1 to ${MAX_LENGTH} printable ASCII characters without spaces`;
  const parts = pattern.split(SEPARATORS);
  const wildcards = parts.filter((part) => part.includes("*")).length;
  if (parts.some((part) => part.split("*").length > 2) || wildcards > MAX_WILDCARDS)
    return `at most one * in each part between / and :, and at most ${MAX_WILDCARDS} in all`;
  // Whoever may choose their own name on the platform would otherwise match.
  if (wildcards > 0 && (parts.length < 3 || parts[0]?.includes("*"))) return "must begin with a part without *";
  return undefined;
}

/** Compares part by part, in linear time. Without `*`, the subject must equal the pattern. */
export function matchesSubject(pattern: string, subject: string): boolean {
  if (subject.length > MAX_LENGTH) return false;
  if (!pattern.includes("*")) return subject === pattern;
  const [wanted, found] = [pattern.split(SEPARATORS), subject.split(SEPARATORS)];
  return wanted.length === found.length && wanted.every((part, at) => matchesPart(part, found[at] ?? ""));
}

function matchesPart(pattern: string, part: string): boolean {
  const [before = "", after] = pattern.split("*");
  if (after === undefined) return part === pattern;
  return part.length > before.length + after.length && part.startsWith(before) && part.endsWith(after);
}
