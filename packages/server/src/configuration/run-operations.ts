/** The one way by which a configuration changes anything: operations of the admin API, in this process. */

import { AdminError } from "../admin/admin-error.ts";
import type { Authority } from "../admin/api-access/authority.ts";
import type { Config } from "../config.ts";
import type { Call, Operation } from "../http/admin-api/operation.ts";
import { operations } from "../http/admin-api/operations/index.ts";
import { ApiRefusal } from "../http/admin-api/problem.ts";
import type { Context, Fields, Operator, Schema } from "./kind.ts";

const byId: ReadonlyMap<string, Operation> = new Map(operations.map((one) => [one.id, one]));

function operationOf(id: string): Operation {
  const found = byId.get(id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found;
}

/** The schema of an operation's body. */
export function bodyOf(id: string): Schema {
  return operationOf(id).body as unknown as Schema;
}

export function operatorOf(context: Context, authority: Authority, config: Config): Operator {
  return {
    context,
    authority,
    async run(id, params, body = {}) {
      const operation = operationOf(id);
      const { group, access } = operation;
      if (group === null ? !authority.isFull : !authority.may(group, access)) {
        throw new ApiRefusal("admin_authority_exceeded", [
          { field: null, problem: `this needs the scope ${group === null ? "admin" : `admin:${group}:${access}`}` },
        ]);
      }
      const call: Omit<Call<unknown, unknown>, "tools"> & { readonly tools: { readonly config: Config } } = {
        ...{ params, query: {}, body, bytes: new Uint8Array(), authority, admin: context },
        cause: null,
        // Operations that write read nothing else of the tools. The transaction compares the records itself.
        tools: { config },
        match: () => undefined,
      };
      const { record = {} } = await operation.answer(call as unknown as Call<never, never>);
      return record as Fields;
    },
  };
}

/** The problems of a refused operation. Undefined: it is no refusal. */
export function problemsOfRefusal(
  error: unknown,
): readonly { readonly field: string | null; readonly problem: string }[] | undefined {
  if (error instanceof AdminError) return error.problems;
  if (error instanceof ApiRefusal) {
    return error.problems.length > 0
      ? error.problems
      : [{ field: null, problem: error.condition.replaceAll("_", " ") }];
  }
  return undefined;
}
