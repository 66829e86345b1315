/** Why an operator's wish was not done: named, for a terminal, a page or an API to tell in its own way. */

/**
 * `invalid`: what was given can't be so. `unknown`: no such thing. `taken`: there is one already. `in_use`: others hang on it.
 * `conflict`: another operator changed it meanwhile, or its state doesn't allow it now. `stale`: it is not the record that the caller has read.
 */
export type AdminErrorKind = "invalid" | "unknown" | "taken" | "in_use" | "conflict" | "stale";

/** What is wrong, or worth a second look, in one field. */
export interface Remark {
  /** The record's field on the wire (RFC 7591's name where it has one); null: no field in particular. */
  readonly field: string | null;
  /** One sentence's worth of words, without a full stop: what it is, and what to do. */
  readonly problem: string;
}

export class AdminError extends Error {
  readonly kind: AdminErrorKind;
  readonly problems: readonly Remark[];

  constructor(kind: AdminErrorKind, problems: readonly Remark[]) {
    super(problems.map(({ field, problem }) => (field === null ? problem : `${field}: ${problem}`)).join("\n"));
    this.name = "AdminError";
    this.kind = kind;
    this.problems = problems;
  }
}

/** Throws an `AdminError` about one field. */
export function refuse(kind: AdminErrorKind, field: string | null, problem: string): never {
  throw new AdminError(kind, [{ field, problem }]);
}

/** Throws all remarks that there are, at once. */
export function refuseAny(problems: readonly Remark[]): void {
  if (problems.length > 0) throw new AdminError("invalid", problems);
}
