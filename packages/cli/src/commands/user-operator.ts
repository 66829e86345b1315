/** The question of `assent user update` before somebody loses the role with which they administer the server. */

import type { OpenedAdmin, Person, Place } from "@assent/server/admin";
import { confirm, type YesOption } from "../confirm.ts";
import { everyPage, firstOf } from "../shared-options.ts";

/** The role that can give roles. */
export const ADMIN = "admin";

/** Roles of a person before and after the command. */
export interface RoleChange {
  readonly username: string;
  readonly active: boolean;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export function lostRoles({ before, after }: RoleChange): readonly string[] {
  return before.filter((role) => !after.includes(role));
}

/** True: the person could give roles, and can't afterwards. */
export function losesAdmin(change: RoleChange): boolean {
  return change.active && lostRoles(change).includes(ADMIN);
}

/**
 * `own`: the person runs the command, or made its token. `last`: no other active person has the role `admin`. Undefined: there is
 * nothing to ask.
 */
export function roleQuestion(
  change: RoleChange,
  { own, last }: { readonly own: boolean; readonly last: boolean },
): string | undefined {
  const lost = lostRoles(change);
  const isLast = last && losesAdmin(change);
  if (lost.length === 0 || !(own || isLast)) return undefined;
  const { username, before } = change;
  const [roles, them] = lost.length === 1 ? [`the role ${lost[0]}`, "it"] : [`the roles ${lost.join(", ")}`, "them"];
  const refused = ` From then on, the server refuses your commands over the network that need ${them}.`;
  const tokens = lost.includes(ADMIN) ? " Tokens of the admin API that you made end, too." : "";
  const taken = own ? `you (${username}).${refused}${tokens}` : `${username}.`;
  const alone = isLast ? " No other active person has the role admin." : "";
  const who = isLast
    ? "Only a command on the server's machine, or a program with the scope admin,"
    : "Another person with the role admin, or a command on the server's machine,";
  const again = `assent user update ${username} ${before.map((role) => `--operator ${role}`).join(" ")}`;
  return `This takes ${roles} from ${taken}${alone} ${who} can give ${them} back: ${again}`;
}

/** On the server's machine, a command is nobody's own. `after`: undefined if the roles stay. */
export async function confirmRoles(
  login: string,
  after: readonly string[] | undefined,
  options: YesOption,
  admin: OpenedAdmin,
): Promise<void> {
  if (after === undefined) return;
  const { listUsers, userOf } = await import("@assent/server/admin");
  const { personId, username, operator: before, status } = await userOf(login, admin);
  const change = { username, active: status === "active", before, after };
  if (!losesAdmin(change)) return;
  const filter = { operator: ADMIN, status: "active" } as const;
  const admins = await firstOf(
    everyPage<Person, Place>((part) => listUsers({ ...filter, ...part }, admin)),
    2,
  );
  const question = roleQuestion(change, { own: false, last: admins.every((one) => one.personId === personId) });
  if (question !== undefined) await confirm(question, options);
}
