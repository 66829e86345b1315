/** Which entry of the endpoint table a request's target leads to (RFC 9112 §3.2). */

/** What matched, and the parts of the path that its pattern names. */
export interface Match<T> {
  readonly to: T;
  readonly params: Readonly<Record<string, string>>;
}

/** Longest named part: hashes, slugs and conditions are shorter. */
const MAX_PARAM = 200;

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Paths as they are, and patterns whose segments may be names (`/company/:slug/members`): one look-up for the former, a short list of the same
 * length for the latter. A path that stands for itself goes before a pattern.
 */
export class Router<T> {
  readonly #exact = new Map<string, Match<T>>();
  /** By number of segments. */
  readonly #patterns = new Map<number, { readonly segments: readonly string[]; readonly to: T }[]>();

  add(path: string, to: T): void {
    if (!path.includes("/:")) {
      this.#exact.set(path, { to, params: NO_PARAMS });
      return;
    }
    const segments = path.split("/");
    const alike = this.#patterns.get(segments.length) ?? [];
    this.#patterns.set(segments.length, [...alike, { segments, to }]);
  }

  /** `path`: as it came, without its query. Undefined: nothing is there, or it is no path at all. */
  find(path: string): Match<T> | undefined {
    const plain = path.includes("%") ? undefined : path;
    const exact = plain === undefined ? undefined : this.#exact.get(plain);
    return exact ?? this.#bySegments(plain === undefined ? decoded(path) : path.split("/"));
  }

  #bySegments(segments: readonly string[] | undefined): Match<T> | undefined {
    if (segments === undefined) return undefined;
    // An escaped slash is a letter of its segment and divides nothing (RFC 3986 §2.2).
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

/** The segments without their escapes; undefined: an escape is none. */
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

/** A request's target as path and query, apart from a scheme and host that may stand before them (absolute-form). */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const local = target.startsWith("/") ? target : withoutHost(target);
  const mark = local.indexOf("?");
  return mark === -1 ? { path: local, query: "" } : { path: local.slice(0, mark), query: local.slice(mark + 1) };
}

/** What is neither a path nor absolute stays as it is: it matches nothing. */
function withoutHost(target: string): string {
  const [all = "", host] = /^https?:\/\/([^/?#]+)/i.exec(target) ?? [];
  if (host === undefined) return target;
  const rest = target.slice(all.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}
