/**
 * Redirection URIs: which ones can be registered, and which ones match (RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §4.1.3).
 */

/** `http://127.0.0.1` and `http://[::1]` with any port: an app on this device (RFC 8252 §7.3). */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?(\/[^#]*)?$/;
/** The same, and `http://localhost`. */
const LOOPBACK_OR_LOCALHOST = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?(\/[^#]*)?$/;

/**
 * Absolute URI (RFC 3986 §4.3). With an authority, the path is empty or begins with a slash. No fragment, user
 * information or backslash.
 */
const ABSOLUTE = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?#@\\\s]*)(?=[/?]|$)|(?!\/\/))([^?#\\\s]*)(\?[^#\\\s]*)?$/;

const PRINTABLE = /^[\u0021-\u007e]{1,2048}$/;

/** Parameters of the server's own response: a registered query may not have them (code pollution, CVE-2026-9689). */
const RESERVED = new Set([
  "code",
  "state",
  "iss",
  "error",
  "error_description",
  "error_uri",
  "response",
  "access_token",
  "id_token",
]);

const REFUSED_SCHEMES = new Set([
  "javascript",
  "data",
  "vbscript",
  "blob",
  "file",
  "about",
  "filesystem",
  "view-source",
  "ws",
  "wss",
  "ftp",
  "mailto",
  "tel",
]);

/**
 * True if `asked` is one of the registered URIs: equal as a string, except for the port of a loopback IP. The server
 * normalizes nothing: two URIs that are equal only after normalization are different. `anyPort`: the port of
 * `localhost` may differ, too, because a client that is described by one document for all devices can't name its port.
 */
export function matchesRedirectUri(
  registered: readonly string[],
  asked: string,
  { anyPort = false }: { readonly anyPort?: boolean } = {},
): boolean {
  if (!PRINTABLE.test(asked)) return false;
  const loopback = anyPort ? LOOPBACK_OR_LOCALHOST : LOOPBACK;
  return registered.includes(asked) || registered.some((uri) => equalButForPort(uri, asked, loopback));
}

function equalButForPort(registered: string, asked: string, loopback: RegExp): boolean {
  const ours = loopback.exec(registered);
  const theirs = loopback.exec(asked);
  return (
    ours !== null &&
    theirs !== null &&
    ours[1] === theirs[1] &&
    (ours[3] ?? "") === (theirs[3] ?? "") &&
    Number(theirs[2] ?? 80) <= 65535
  );
}

/** Why a URI can't be registered, in words for the operator. Undefined: it can. */
export function redirectUriProblem(uri: string): string | undefined {
  if (!PRINTABLE.test(uri)) return "must be 1 to 2,048 printable ASCII characters, without spaces";
  if (uri.includes("#")) return "must not have a fragment (RFC 6749 §3.1.2)";
  if (uri.includes("*")) return "wildcards are not supported: register each URI in full";
  if (uri.includes("\\")) return "must not contain a backslash";
  const parts = ABSOLUTE.exec(uri);
  if (parts === null) return "must be an absolute URI without a username or password";
  const [, scheme = "", authority, path = "", query = ""] = parts;
  return schemeProblem(scheme.toLowerCase(), authority, uri, scheme) ?? pathProblem(path) ?? queryProblem(query);
}

/** The same for an address that must be on the web: https, or http on this device. */
export function webUriProblem(uri: string): string | undefined {
  return redirectUriProblem(uri) ?? (isWeb(receiverOf(uri).scheme) ? undefined : "must be an https URL");
}

function schemeProblem(
  scheme: string,
  authority: string | undefined,
  uri: string,
  written: string,
): string | undefined {
  if (scheme === "https" || scheme === "http") {
    if (written !== scheme) return "the scheme must be in lower case, because the URI is compared as a string";
    if (authority === undefined || !hostIsFine(authority)) return "the host is missing or not a valid host name";
    if (scheme === "http" && !LOOPBACK.test(uri) && !/^http:\/\/localhost(:\d{1,5})?(\/|\?|$)/.test(uri)) {
      return "http is allowed only for loopback addresses; use https (RFC 9700 §2.6)";
    }
    return undefined;
  }
  if (REFUSED_SCHEMES.has(scheme)) return `the scheme ${scheme}: is not allowed`;
  if (!scheme.includes("."))
    return "a private-use scheme must be a reversed domain name, such as com.example.app: (RFC 8252 §7.1)";
  const [, port] = /^(?:[A-Za-z0-9._~%-]+(?::(0|[1-9]\d{0,4}))?)?$/.exec(authority ?? "") ?? [null, "65536"];
  if (Number(port ?? 0) > 65_535) return "the host or port is not valid";
  return undefined;
}

/**
 * The host must be written as browsers write it, so that the owner reads the real destination of the answer:
 * `https://2130706433/` goes to 127.0.0.1.
 */
function hostIsFine(authority: string): boolean {
  const [, ipv6, name = "", port] =
    /^(?:\[([0-9a-f:]{2,39})\]|([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?))(?::(0|[1-9]\d{0,4}))?$/.exec(authority) ?? [];
  if (port !== undefined && Number(port) > 65_535) return false;
  if (ipv6 !== undefined) return isPlainIpv6(ipv6);
  // WHATWG URL §3.5: if the last label is a number, the whole host is an IPv4 address, however it is written.
  const isNumber = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(name);
  return name !== "" && (!isNumber || /^(?:(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])(?:\.(?!$)|$)){4}$/.test(name));
}

/** The one spelling of RFC 5952 §4: no leading zeros, and the first of the longest runs of zero groups is left out. */
function isPlainIpv6(text: string): boolean {
  const halves = text.split("::");
  const [left = [], right = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const omitted = halves.length === 2 ? 8 - left.length - right.length : 0;
  if (halves.length > 2 || left.length + right.length + omitted !== 8 || omitted < 0) return false;
  const groups = [...left, ...Array<string>(omitted).fill("0"), ...right];
  if (!groups.every((group) => /^(?:0|[1-9a-f][0-9a-f]{0,3})$/.test(group))) return false;
  const runs = groups.map((_, at) => groups.slice(at).findIndex((group) => group !== "0"));
  const lengths = runs.map((length, at) => (length === -1 ? 8 - at : length));
  const longest = Math.max(...lengths);
  const at = longest < 2 ? -1 : lengths.indexOf(longest);
  const plain =
    at === -1 ? groups.join(":") : `${groups.slice(0, at).join(":")}::${groups.slice(at + longest).join(":")}`;
  return plain === text;
}

function pathProblem(path: string): string | undefined {
  if (/(^|\/)\.\.?(\/|$)/.test(path) || /%2e/i.test(path)) return "the path must not have . or .. segments";
  return undefined;
}

function queryProblem(query: string): string | undefined {
  for (const pair of query.slice(1).split("&")) {
    const name = pair.split("=", 1)[0] ?? "";
    if (RESERVED.has(name) || /%/.test(name))
      return `the query must not have the parameter ${RESERVED.has(name) ? name : "with an encoded name"}, because the response adds it`;
  }
  return undefined;
}

/** A redirect whose receiver the browser can't verify: a custom scheme or this device (RFC 8252 §8.6). */
export function isUnverifiedRedirect(uri: string): boolean {
  return !uri.startsWith("https://");
}

/**
 * The receiver as an owner reads it: the host in plain text, or the scheme of an app on the device. The app with the
 * scheme gets the answer, whatever host the URI names after it.
 */
export function redirectHost(uri: string): string {
  const { scheme, authority } = receiverOf(uri);
  return isWeb(scheme) && authority !== "" ? authority : `${scheme}:`;
}

/**
 * The receiver that a consent is given for. `https://app.example`, with its port unless it is 443. `http://127.0.0.1`
 * for this device, whatever the port (RFC 8252 §7.3). `com.example.app:` for a private-use scheme. Two URIs have the
 * same receiver only if these texts are equal.
 */
export function consentHost(uri: string): string {
  const { scheme, authority } = receiverOf(uri);
  if (!isWeb(scheme)) return `${scheme}:`;
  return `${scheme}://${authority.replace(scheme === "https" ? /:443$/ : /:\d*$/, "")}`;
}

/** The receivers of several redirect URIs, each once. */
export function consentHosts(uris: readonly string[]): readonly string[] {
  return [...new Set(uris.map(consentHost))];
}

function receiverOf(uri: string): { readonly scheme: string; readonly authority: string } {
  const [, scheme = "", authority = ""] = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?/i.exec(uri) ?? [];
  return { scheme: scheme.toLowerCase(), authority };
}

function isWeb(scheme: string): boolean {
  return scheme === "https" || scheme === "http";
}

/** Adds response parameters to a redirect URI and keeps its own query. */
export function withQuery(uri: string, parameters: Readonly<Record<string, string>>): string {
  const added = formEncode(parameters);
  const query = uri.indexOf("?");
  // A query may end with a question mark of its own.
  const separator = query === -1 ? "?" : query === uri.length - 1 ? "" : "&";
  return `${uri}${separator}${added}`;
}

/** The same in the fragment, which a browser does not send. A registered redirect URI has no fragment. */
export function withFragment(uri: string, parameters: Readonly<Record<string, string>>): string {
  return `${uri}#${formEncode(parameters)}`;
}

/** `application/x-www-form-urlencoded` with %20 for the space, which every parser of queries accepts. */
export function formEncode(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
}
