/** `assent session …`: browsers that are signed in. */

import type { Command } from "commander";
import { UsageError } from "../command-errors.ts";
import { confirmOnTerminal, counted, countedAll, type YesOption, yesOption } from "../confirm.ts";
import { type JsonOption, noun, verb, withAdmin } from "../shared-options.ts";

export function register(program: Command): void {
  const session = noun(program, "session", "signed-in browsers");
  verb(session, "list <user>", "list a person's sessions, last used first").action(list);
  verb(session, "revoke [session-id]", "sign out one browser, or all browsers of a person")
    .option("--user <user>", "sign out all browsers of this person")
    .addOption(yesOption("on a terminal, don't ask for confirmation"))
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
      `${person.username} is not signed in.`,
    );
  });
}

async function revoke(sessionId: string | undefined, options: JsonOption & YesOption & { readonly user?: string }) {
  const { user } = options;
  if ((sessionId === undefined) === (user === undefined)) {
    throw new UsageError("name one session, or use --user for all sessions of a person");
  }
  await withAdmin(options, async (admin, out) => {
    const { checkSession, revokeSession, revokeSessionsOf, sessionsOf } = await import("@assent/server/admin");
    if (user !== undefined) {
      const { person, sessions } = await sessionsOf(user, admin);
      await confirmOnTerminal(signingOutQuestion(person, sessions.length), options);
      const ended = await revokeSessionsOf(user, admin);
      out.done(
        { username: user, sessions_ended: ended },
        `Ended ${counted(ended, "session")}. Apps keep their access.`,
      );
    } else if (sessionId !== undefined) {
      await checkSession(sessionId, admin);
      await confirmOnTerminal(revokingQuestion(sessionId), options);
      await revokeSession(sessionId, admin);
      out.done({ id: sessionId, sessions_ended: 1 }, "Ended the session. Apps keep their access.");
    }
  });
}

export function signingOutQuestion(
  { username, email }: { readonly username: string; readonly email: string },
  sessions: number,
): string {
  return `Signing out ${username} (${email}) ends ${countedAll({ session: sessions })}. Apps keep their access.`;
}

export function revokingQuestion(sessionId: string): string {
  return `Revoking the session ${sessionId} signs out one browser. Apps keep their access.`;
}
