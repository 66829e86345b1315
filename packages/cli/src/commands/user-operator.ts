/** The question of `assent user update` before somebody loses the role with which they administer the server. */

import type { OpenedAdmin, Person, Place } from "@assent/server/admin";
import { confirm, type YesOption } from "../confirm.ts";
import { everyPage, firstOf } from "../shared-options.ts";

/** The role that can give roles. It allows what every other role allows. */
export const ADMIN_ROLE = "admin";

/** Roles of a person before and after the command. */
export interface RoleChange {
  readonly id: string;
  readonly username: string;
  readonly active: boolean;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Empty: the person can do the same afterwards, because they keep all roles or the role `admin`. */
export function lostRoles({ before, after }: RoleChange): readonly string[] {
  return after.includes(ADMIN_ROLE) ? [] : before.filter((role) => !after.includes(role));
}

/** What the question depends on. Each costs requests or queries. */
export interface Concerned {
  /** True: the person runs the command, or made its token. */
  readonly isOwn: () => Promise<boolean>;
  /** The ids of the first `limit` active people with the role `admin`. */
  readonly admins: (limit: number) => Promise<readonly string[]>;
}

/** Undefined: there is nothing to ask. */
export async function roleQuestion(change: RoleChange, concerned: Concerned): Promise<string | undefined> {
  const lost = lostRoles(change);
  if (lost.length === 0) return undefined;
  const own = await concerned.isOwn();
  const isLast = await isLastAdmin(change, concerned);
  if (!(own || isLast)) return undefined;
  const { username, before } = change;
  const [roles, them] = lost.length === 1 ? [`the role ${lost[0]}`, "it"] : [`the roles ${lost.join(", ")}`, "them"];
  const refused = ` From then on, the server refuses your commands over the network that need ${them}.`;
  const tokens = lost.includes(ADMIN_ROLE) ? " Tokens of the admin API that you made end, too." : "";
  const taken = own ? `you (${username}).${refused}${tokens}` : `${username}.`;
  const alone = isLast ? " No other active person has the role admin." : "";
  const who = isLast
    ? "Only a command on the server's machine, or a program with the scope admin,"
    : "Another person with the role admin, or a command on the server's machine,";
  const again = `assent user update ${username} ${before.map((role) => `--operator ${role}`).join(" ")}`;
  return `This takes ${roles} from ${taken}${alone} ${who} can give ${them} back: ${again}`;
}

/** True: the person is active and loses the role `admin`, and no other active person has it. */
async function isLastAdmin(change: RoleChange, { admins }: Concerned): Promise<boolean> {
  if (!change.active || !lostRoles(change).includes(ADMIN_ROLE)) return false;
  return (await admins(2)).every((id) => id === change.id);
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
  const { personId: id, username, operator: before, status } = await userOf(login, admin);
  const question = await roleQuestion(
    { id, username, active: status === "active", before, after },
    {
      isOwn: async () => false,
      admins: async (limit) => {
        const filter = { operator: ADMIN_ROLE, status: "active" } as const;
        const all = everyPage<Person, Place>((part) => listUsers({ ...filter, ...part }, admin));
        return (await firstOf(all, limit)).map(({ personId }) => personId);
      },
    },
  );
  if (question !== undefined) await confirm(question, options);
}
