/** Finds the entry of the endpoint table for a request's target (RFC 9112 §3.2). */

/** The matching entry, and the named parts of the path. */
export interface Match<T> {
  readonly to: T;
  readonly params: Readonly<Record<string, string>>;
}

/** Maximum length of a named part: hashes, slugs and conditions are shorter. */
const MAX_PARAM = 200;

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Finds constant paths with one look-up, and patterns whose segments can be names (`/company/:slug/members`) in a short
 * list of the same length. A constant path has precedence.
 */
export class Router<T> {
  readonly #exact = new Map<string, Match<T>>();
  readonly #below: { readonly path: string; readonly slash: string; readonly match: Match<T> }[] = [];
  /** Patterns by number of segments. */
  readonly #patterns = new Map<number, { readonly segments: readonly string[]; readonly to: T }[]>();

  /** The path and all paths below it. Everything else has precedence. */
  addBelow(path: string, to: T): void {
    this.#below.push({ path, slash: `${path}/`, match: { to, params: NO_PARAMS } });
  }

  add(path: string, to: T): void {
    if (!path.includes("/:")) {
      this.#exact.set(path, { to, params: NO_PARAMS });
      return;
    }
    const segments = path.split("/");
    const alike = this.#patterns.get(segments.length) ?? [];
    this.#patterns.set(segments.length, [...alike, { segments, to }]);
  }

  /** `path`: as sent, without its query. Undefined: nothing matches, or it is not a path. */
  find(path: string): Match<T> | undefined {
    const plain = path.includes("%") ? undefined : path;
    const exact = plain === undefined ? undefined : this.#exact.get(plain);
    return exact ?? this.#bySegments(plain === undefined ? decoded(path) : path.split("/")) ?? this.#byBeginning(path);
  }

  #byBeginning(path: string): Match<T> | undefined {
    return this.#below.find((one) => path === one.path || path.startsWith(one.slash))?.match;
  }

  #bySegments(segments: readonly string[] | undefined): Match<T> | undefined {
    if (segments === undefined) return undefined;
    // An escaped slash belongs to its segment and does not separate segments (RFC 3986 §2.2).
    if (!segments.some((one) => one.includes("/"))) {
      const exact = this.#exact.get(segments.join("/"));
      if (exact !== undefined) return exact;
    }
    for (const pattern of this.#patterns.get(segments.length) ?? []) {
      const params = paramsOf(pattern.segments, segments);
      if (params !== undefined) return { to: pattern.to, params };
    }
    return undefined;
  }
}

/** The segments without their escapes. Undefined: an escape is malformed. */
function decoded(path: string): readonly string[] | undefined {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [at, wanted] of pattern.entries()) {
    const segment = segments[at] ?? "";
    if (wanted.startsWith(":")) {
      if (segment === "" || segment.length > MAX_PARAM) return undefined;
      params[wanted.slice(1)] = segment;
    } else if (segment !== wanted) {
      return undefined;
    }
  }
  return params;
}

/** The path and the query of a request's target, without a scheme and host (absolute-form). */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const local = target.startsWith("/") ? target : withoutHost(target);
  const mark = local.indexOf("?");
  return mark === -1 ? { path: local, query: "" } : { path: local.slice(0, mark), query: local.slice(mark + 1) };
}

/** A target that is neither a path nor absolute stays as it is: it matches nothing. */
function withoutHost(target: string): string {
  const [all = "", host] = /^https?:\/\/([^/?#]+)/i.exec(target) ?? [];
  if (host === undefined) return target;
  const rest = target.slice(all.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}
