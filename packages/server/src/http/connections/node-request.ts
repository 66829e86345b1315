/** A request of node:http in the form of endpoints. Each property is computed only when it is read. */

import type { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Config } from "../../config.ts";
import type { ClientCertificate } from "../../oauth/client-authentication/client-certificate.ts";
import type { Millis } from "../../oauth/model.ts";
import type { HttpRequest, Upload } from "../http-message.ts";
import type { Forwarded, TrustedProxies } from "./client-address.ts";
import { clientCertificate } from "./client-certificate.ts";

/** The dependencies of finding a request's sender and scheme. */
export interface RequestTools {
  readonly issuer: string;
  readonly config: Pick<Config, "clientCertHeader">;
  readonly proxies: TrustedProxies;
  /** The authorities that may issue clients' certificates. Null: none are configured. */
  readonly clientAuthorities: readonly X509Certificate[] | null;
  now(): Millis;
}

/** The parts of a request that have been read. */
interface Read extends Pick<HttpRequest, "path" | "params" | "query" | "body" | "upload" | "id"> {
  /** The address at the other end of its connection. */
  readonly peer: string;
}

export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly params: HttpRequest["params"];
  readonly query: string;
  readonly body: string;
  readonly upload: Upload | undefined;
  readonly id: string;
  readonly #raw: IncomingMessage;
  readonly #peer: string;
  readonly #tools: RequestTools;
  #forwarded: Forwarded | undefined;

  constructor(raw: IncomingMessage, { peer, path, params, query, body, upload, id }: Read, tools: RequestTools) {
    this.method = raw.method ?? "GET";
    this.path = path;
    this.params = params;
    this.query = query;
    this.body = body;
    this.upload = upload;
    this.id = id;
    this.#raw = raw;
    this.#peer = peer;
    this.#tools = tools;
  }

  get address(): string {
    return this.#from().address;
  }

  get insecure(): boolean {
    const { issuer } = this.#tools;
    return issuer.startsWith("https:") && this.#from().proto === "http";
  }

  header(name: string): string | undefined {
    const value = this.#raw.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  headers(name: string): readonly string[] {
    return occurrences(this.#raw.rawHeaders, name);
  }

  certificate(): ClientCertificate | undefined {
    const { proxies, clientAuthorities, config, now } = this.#tools;
    const header = config.clientCertHeader?.toLowerCase();
    return clientCertificate(this.#raw, {
      fromProxy: proxies.trusts(this.#peer),
      headers: header === undefined ? [] : this.headers(header),
      chainHeaders: header === undefined ? [] : this.headers(`${header}-chain`),
      authorities: clientAuthorities,
      now: now(),
    });
  }

  #from(): Forwarded {
    this.#forwarded ??= this.#tools.proxies.resolve(this.#peer, this.#raw.headers);
    return this.#forwarded;
  }
}

/** For some headers, node:http drops the second occurrence; the raw list has all of them. */
function occurrences(raw: readonly string[], name: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const one = raw[at];
    // Compare lengths first: few names have the same length, so few are put into lower case.
    if (one?.length === name.length && one.toLowerCase() === name) found.push(raw[at + 1] ?? "");
  }
  return found;
}
