/** The server's answer to each request of these suites. Each answer shows which request it belongs to. */

/** A request as the model parses it. */
export interface Asked {
  readonly method: string;
  readonly target: string;
  /** Names in lower case. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly framing: "none" | "chunked" | bigint;
  readonly body: string;
}

export interface Known {
  readonly statuses: readonly number[];
  /** A text in the body of a 200 that no other request's body has. */
  readonly marker: RegExp;
  /** The answer needs the whole body. Without it, the server executes nothing. */
  readonly reads: boolean;
  /** A 200 means that a token was issued. */
  readonly issues: boolean;
}

export const FORM = "application/x-www-form-urlencoded";
/** The form that issues a token. */
export const GRANT = "grant_type=client_credentials&scope=read";
/** A client that each server of these suites has, so that a stream of the corpus means the same in every run. */
export const CLIENT = { id: "raw", secret: "a secret of this test" } as const;
export const CREDENTIALS = `Basic ${btoa(`${CLIENT.id}:${CLIENT.secret.replaceAll(" ", "+")}`)}`;
/** The maximum size of a form. */
const MAX_BODY = 65_536;

const ANY = [200, 204, 302, 303, 304, 400, 401, 403, 404, 405, 406, 411, 413, 415, 429];
const plain = { marker: /(?:)/, reads: false, issues: false };

/** The answer to a request with valid framing. */
export function serviceOf(asked: Asked): Known {
  const { method } = asked;
  const path = pathOf(asked.target);
  const read = method === "GET" || method === "HEAD";
  switch (path) {
    case "/jwks":
      if (read) return { ...plain, statuses: [200], marker: /^\{"keys"/ };
      return { ...plain, statuses: method === "OPTIONS" ? [204] : [405] };
    case "/health/live":
      return { ...plain, statuses: read ? [200] : [405], marker: /^(?!\{"keys"|.*access_token)/s };
    case "/nowhere":
      return { ...plain, statuses: [404] };
    case "/token":
      if (method === "POST") return tokenOf(asked);
      return { ...plain, statuses: method === "OPTIONS" ? [204] : [405] };
    default:
      // Any other path may be an endpoint. All of them wait for the body of a POST.
      return { ...plain, statuses: ANY, reads: false };
  }
}

function tokenOf({ fields, framing, body }: Asked): Known {
  const token = { marker: /"access_token"/, reads: true, issues: true };
  if (typeof framing === "bigint" && framing > MAX_BODY) return { ...token, statuses: [413], reads: false };
  const all = (name: string) => fields.filter(([one]) => one === name).map(([, value]) => value);
  const [type, credentials] = [all("content-type"), all("authorization")];
  const sound = type.length === 1 && credentials.length === 1 && all("content-encoding").length === 0;
  if (sound && type[0] === FORM && credentials[0] === CREDENTIALS)
    return { ...token, statuses: body === GRANT ? [200] : [200, 400, 413] };
  return { ...token, statuses: [200, 400, 401, 413, 415, 429] };
}

/** RFC 9112 §3.2.1, §3.2.2. */
function pathOf(target: string): string {
  const local = target.replace(/^https?:\/\/[^/?#]+/i, "");
  return local.split("?", 1)[0] ?? "";
}
