/** `assent session …`: browsers that are signed in. */

import type { Command } from "commander";
import { UsageError } from "../command-errors.ts";
import { type JsonOption, noun, verb, withAdmin } from "../shared-options.ts";

export function register(program: Command): void {
  const session = noun(program, "session", "browsers that are signed in");
  verb(session, "list <user>", "list a person's live sessions, last seen first").action(list);
  verb(session, "revoke [session-id]", "sign one browser out, or all of a person's")
    .option("--user <user>", "all sessions of this person")
    .action(revoke);
}

async function list(user: string, options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { sessionRecord, sessionsOf } = await import("@assent/server/admin");
    const { person, sessions } = await sessionsOf(user, admin);
    out.list(
      sessions.map(sessionRecord),
      [
        { field: "id" },
        { field: "last_seen_at" },
        { field: "expires_at" },
        { field: "address" },
        { field: "user_agent", show: (value) => String(value ?? "-").slice(0, 60) },
      ],
      `${person.username} is signed in nowhere.`,
    );
  });
}

async function revoke(sessionId: string | undefined, options: JsonOption & { readonly user?: string }) {
  const { user } = options;
  if ((sessionId === undefined) === (user === undefined)) {
    throw new UsageError("name one session, or --user for all sessions of a person");
  }
  await withAdmin(options, async (admin, out) => {
    const { revokeSession, revokeSessionsOf } = await import("@assent/server/admin");
    if (user !== undefined) {
      const ended = await revokeSessionsOf(user, admin);
      out.done({ username: user, sessions_ended: ended }, `${ended} session(s) ended.`);
    } else if (sessionId !== undefined) {
      await revokeSession(sessionId, admin);
      out.done({ id: sessionId, sessions_ended: 1 }, "The session has ended.");
    }
  });
}
