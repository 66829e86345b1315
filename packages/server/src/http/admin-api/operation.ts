/** The form of an operation of the admin API. Router, checks, OpenAPI document and reference page are made from it. */

import type { Static, TObject, TSchema } from "typebox";
import type { AdminGroup } from "../../admin/api-access/admin-scopes.ts";
import type { Authority } from "../../admin/api-access/authority.ts";
import type { AdminContext } from "../../admin/context.ts";
import type { Secrets } from "../../crypto/server-secret.ts";
import type { Cause } from "../../events/event.ts";
import type { AdminApiTools } from "./tools.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A request that is authenticated, allowed and valid by its schemas. */
export interface Call<Query, Body> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The body of an operation that takes bytes. */
  readonly bytes: Uint8Array;
  readonly authority: Authority;
  readonly admin: AdminContext & { secrets(): Secrets };
  readonly tools: AdminApiTools;
  /** What the events of a change say. Null: it changes nothing, or a configuration says it for all its changes. */
  readonly cause: Cause | null;
  /** Throws `record_changed` unless the record is the one that If-Match names. */
  match(record: unknown): void;
}

export interface Result {
  /** The body of the answer. Absent: there is none. */
  readonly record?: unknown;
  /** More fields of the record, for a caller who reads them. They cost more than the rest. */
  advice?(): Promise<object>;
  /** The record whose ETag the answer has. */
  readonly tagged?: unknown;
  /** Of a created record, below the API. */
  readonly location?: string;
  /** A body that is not JSON. */
  readonly lines?: string;
}

export interface Operation {
  /** `clients.list`: the group, and what is done. */
  readonly id: string;
  readonly method: Method;
  /** Below `/admin/api/v1`, with named parts: `/clients/{client_id}`. */
  readonly path: string;
  /** The scope that it needs. Null: only `admin` is enough. */
  readonly group: AdminGroup | null;
  /** True: every valid token may call it, whatever its scope. */
  readonly anyToken?: true;
  readonly access: "read" | "write";
  readonly summary: string;
  /** More about it, for the reference. */
  readonly notes?: string;
  /** The command that does the same, without `assent`. Null: there is none. */
  readonly command: string | null;
  /** Other commands for some of its fields. */
  readonly alsoBy?: readonly string[];
  readonly query?: TObject;
  readonly body?: TSchema;
  /** The type of a body that is not JSON. */
  readonly takes?: string;
  /** Bytes of such a body, if more than usual. Only a token that may do it can send so much. */
  readonly most?: number;
  /** The fields of a line in such a body, for the reference. */
  readonly fields?: readonly string[];
  /** True: a repetition changes nothing, so Idempotency-Key is accepted and has no effect. */
  readonly repeats?: true;
  readonly status: 200 | 201 | 204;
  /** The answer's body. Absent: it has none, or is not JSON. */
  readonly result?: TSchema;
  /** Each line of an answer in NDJSON. */
  readonly resultLine?: TSchema;
  /** True: the answer has an ETag. */
  readonly tagged?: true;
  /** True: it needs If-Match. */
  readonly matches?: true;
  answer(call: Call<never, never>): Promise<Result>;
}

type QueryOf<Q> = Q extends TSchema ? Static<Q> : Readonly<Record<string, never>>;
type BodyOf<B> = B extends TSchema ? Static<B> : undefined;

/** An operation whose handler has the types of its schemas. */
export function operation<Q extends TObject | undefined = undefined, B extends TSchema | undefined = undefined>(
  declared: Omit<Operation, "answer" | "query" | "body"> & {
    readonly query?: Q;
    readonly body?: B;
    answer(call: Call<QueryOf<Q>, BodyOf<B>>): Promise<Result>;
  },
): Operation {
  return declared as unknown as Operation;
}

/** The id, the method with the path, and the status of success. */
export function at(
  id: string,
  line: `${Method} /${string}`,
  status: Operation["status"] = 200,
): Pick<Operation, "id" | "method" | "path" | "status"> {
  const space = line.indexOf(" ");
  return { id, method: line.slice(0, space) as Method, path: line.slice(space + 1), status };
}

export const reads = (group: AdminGroup | null) => ({ group, access: "read" as const });
export const writes = (group: AdminGroup | null) => ({ group, access: "write" as const });
