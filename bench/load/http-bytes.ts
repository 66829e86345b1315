/** Requests as bytes, and the parts of responses that the benchmark reads. */

import { ISSUER } from "../prepare-database.ts";

/** Headers that common HTTP clients send although they are not needed. */
const HEAD = `Host: ${new URL(ISSUER).host}\r\nUser-Agent: bench\r\nConnection: keep-alive\r\n`;
const JSON_WANTED = "Accept: application/json\r\n";
const PAGE_WANTED = "Accept: text/html\r\nAccept-Language: en\r\n";

/** A form that a program sends. `credentials`: value of Authorization. */
export function post(path: string, form: string, credentials?: string): string {
  const authorization = credentials === undefined ? "" : `Authorization: ${credentials}\r\n`;
  return request("POST", path, JSON_WANTED + authorization, form);
}

/** `credentials`: value of Authorization. */
export function get(path: string, credentials?: string): string {
  const authorization = credentials === undefined ? "" : `Authorization: ${credentials}\r\n`;
  return `GET ${path} HTTP/1.1\r\n${HEAD}${JSON_WANTED}${authorization}\r\n`;
}

/** A page that a browser opens. `cookies`: value of Cookie; empty: none. */
export function visit(path: string, cookies: string): string {
  return `GET ${path} HTTP/1.1\r\n${HEAD}${PAGE_WANTED}${cookieLine(cookies)}\r\n`;
}

/** A form of a page. */
export function submit(path: string, cookies: string, form: string): string {
  const origin = `Origin: ${ISSUER}\r\nSec-Fetch-Site: same-origin\r\n`;
  return request("POST", path, PAGE_WANTED + origin + cookieLine(cookies), form);
}

function request(method: string, path: string, lines: string, form: string): string {
  return `${method} ${path} HTTP/1.1\r\n${HEAD}${lines}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${Buffer.byteLength(form)}\r\n\r\n${form}`;
}

function cookieLine(cookies: string): string {
  return cookies === "" ? "" : `Cookie: ${cookies}\r\n`;
}

export function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
}

/** A text member of a JSON object, found without parsing the rest. Throws if there is none. */
export function member(json: string, name: string): string {
  const at = json.indexOf(`"${name}":"`);
  if (at === -1) throw new Error(`an answer without ${name}: ${json.slice(0, 500)}`);
  const start = at + name.length + 4;
  return json.slice(start, json.indexOf('"', start));
}

/** The cookies that a response sets, in the form for the next request. */
export function cookiesOf(head: string): string {
  return [...head.matchAll(/^set-cookie: ([^;\r]+)/gim)].map(([, pair]) => pair).join("; ");
}

/** Path and query of a redirect, or the whole URL if it leads to another server. */
export function locationOf(head: string): string {
  const location = /^location: ([^\r]+)/im.exec(head)?.[1] ?? "";
  return location.startsWith(`${ISSUER}/`) ? location.slice(ISSUER.length) : location;
}
