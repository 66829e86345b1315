/** The admin API of a server, as commands call it: by the names of its operations. */

import { Failure } from "../command-errors.ts";
import { printable } from "../print-records.ts";
import operations from "./operations.json" with { type: "json" };
import { type Answered, objectOf, send } from "./requests.ts";

export type OperationId = keyof typeof operations;
export type Body = Readonly<Record<string, unknown>>;

export interface Asked {
  /** The named parts of the path, in their order. */
  readonly path?: readonly string[];
  readonly query?: Body;
  readonly body?: Body;
  readonly bytes?: Uint8Array;
  /** The type of `bytes`. */
  readonly type?: string;
  /** The ETag of the record that is changed. */
  readonly etag?: string;
}

/** Fields of a request that the server refused. Their names become flags of the command. */
class Refused extends Error {
  readonly problems: readonly { readonly field: string | null; readonly problem: string }[];

  constructor(problems: Refused["problems"]) {
    super("the server refused fields");
    this.problems = problems.map(({ field, problem }) => ({
      ...{ field: field === null ? null : printable(String(field)), problem: printable(String(problem)) },
    }));
  }
}

/** The server has no such record. */
export class NotFound extends Refused {}

/** Entries of a page. */
const PAGE = 200;

export class RemoteApi {
  readonly server: string;
  readonly #token: () => Promise<string>;

  constructor(server: string, token: () => Promise<string>) {
    this.server = server;
    this.#token = token;
  }

  /** The access token that requests have. */
  token(): Promise<string> {
    return this.#token();
  }

  /** The answer as it came. Throws if it is a refusal. */
  async send(id: OperationId, { path = [], query = {}, body, bytes, type, etag }: Asked = {}): Promise<Answered> {
    const [method = "", pattern = ""] = operations[id].split(" ");
    const parts = path.values();
    const below = pattern.replaceAll(/\{\w+\}/g, () => segment(String(parts.next().value)));
    const words = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    const asked = new URLSearchParams(words.map(([name, value]) => [name, String(value)])).toString();
    const answer = await send(`${this.server}/admin/api/v1${below}${asked === "" ? "" : `?${asked}`}`, {
      method,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${await this.#token()}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(bytes === undefined ? {} : { "content-type": type ?? "application/octet-stream" }),
        ...(etag === undefined ? {} : { "if-match": etag }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(bytes === undefined ? {} : { body: bytes }),
    });
    if (answer.status >= 300) throw this.#refusalOf(answer);
    return answer;
  }

  /** The record of the answer; empty if it has none. */
  async call(id: OperationId, asked: Asked = {}): Promise<Body> {
    const answer = await this.send(id, asked);
    return answer.text === "" ? {} : objectOf(answer, this.server);
  }

  /** What would end with a record, by an operation that counts. Undefined: the server has an earlier version, without it. */
  async impact(id: OperationId, asked: Asked): Promise<Body | undefined> {
    try {
      return await this.call(id, asked);
    } catch (error) {
      const isMissing = ({ problem }: { readonly problem: string }) => problem.startsWith("there is no operation");
      if (error instanceof Refused && error.problems.some(isMissing)) return undefined;
      throw error;
    }
  }

  /** The first `limit` entries of a list. */
  async list(id: OperationId, { query = {}, ...asked }: Asked = {}, limit = Number.POSITIVE_INFINITY): Promise<Body[]> {
    const found: Body[] = [];
    for (let after: unknown; after !== null && found.length < limit; ) {
      const page = await this.call(id, { ...asked, query: { ...query, limit: PAGE, after } });
      found.push(...(page["items"] as Body[]));
      after = page["next"] ?? null;
    }
    return found.slice(0, limit);
  }

  /** Reads a record, and changes it as `change` says, unless somebody else changed it meanwhile. */
  async change(
    group: "clients" | "users" | "companies" | "scopes" | "resources" | "issuers" | "providers" | "webhooks",
    path: readonly string[],
    change: (present: Body) => Body,
  ): Promise<Body> {
    const present = await this.send(`${group}.show`, { path });
    const body = change(objectOf(present, this.server));
    if (Object.keys(body).length === 0) return objectOf(present, this.server);
    return this.call(`${group}.update`, { path, body, etag: present.headers.get("etag") ?? "" });
  }

  #refusalOf(answer: Answered): Error {
    const { status, headers, text } = answer;
    if (status < 400 || !(headers.get("content-type") ?? "").startsWith("application/problem+json")) {
      return new Failure(
        `${this.server} answered ${status}${text === "" ? "" : " in another form"}: is it an Assent server?`,
      );
    }
    const { title, code, errors, request_id: request } = objectOf(answer, this.server);
    if (status === 401) {
      return new Failure(
        `${this.server} refused the token (${code}): it has expired, was revoked, or is for another server. Run assent login ${this.server}, or set another ASSENT_TOKEN`,
      );
    }
    const missing = /scope="([^"]*)"/.exec(headers.get("www-authenticate") ?? "")?.[1];
    if (status === 403 && missing !== undefined) {
      return new Failure(
        `the token does not have the scope ${missing}: run assent login ${this.server} --scope "${missing}"`,
      );
    }
    if (Array.isArray(errors) && errors.length > 0) {
      const problems = errors as Refused["problems"];
      return status === 404 ? new NotFound(problems) : new Refused(problems);
    }
    return new Failure(printable(`${title} (${code}; request ${request})`));
  }
}

/** A segment of a path. `.` and `..` would change the path. */
function segment(text: string): string {
  if (text === "" || text === "." || text === "..") throw new Failure(`${JSON.stringify(text)} names no record`);
  return encodeURIComponent(text);
}
