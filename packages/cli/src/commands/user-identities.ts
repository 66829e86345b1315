/** `assent user identities|disconnect`: a person's identities at trusted issuers and sign-in providers. */

import type { Command } from "commander";
import { confirmOnTerminal, type YesOption, yesOption } from "../confirm.ts";
import { type JsonOption, verb, withAdmin } from "../shared-options.ts";

export function identityCommands(user: Command): void {
  verb(user, "identities <user>", "list a person's identities at trusted issuers and sign-in providers").action(list);
  verb(user, "disconnect <user> <identity>", "disconnect a person from an issuer or a provider; the account stays")
    .addOption(yesOption("on a terminal, don't ask for confirmation"))
    .action(disconnect);
}

async function list(login: string, options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { identitiesOf, identityRecord } = await import("@assent/server/admin");
    const { person, identities } = await identitiesOf(login, admin);
    out.list(
      identities.map(identityRecord),
      [{ field: "id" }, { field: "system" }, { field: "name" }, { field: "subject" }, { field: "created_at" }],
      `${person.username} has no identity elsewhere.`,
    );
  });
}

async function disconnect(login: string, id: string, options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { identitiesOf, removeIdentity } = await import("@assent/server/admin");
    const { person, identities } = await identitiesOf(login, admin);
    const known = identities.find(({ link }) => link.link === id);
    const named = known?.name ?? "the other system";
    const alone = person.passwordHash === null && identities.length === 1;
    await confirmOnTerminal(disconnectQuestion(person.username, named, alone), options);
    const { link, system, name } = await removeIdentity(login, id, admin);
    out.done(
      { user_id: person.personId, id: link.link, system, name, disconnected: true },
      disconnected(person.username, name ?? system),
    );
  });
}

/** `alone`: it is the person's only identity, and they have no password. */
export function disconnectQuestion(username: string, system: string, alone: boolean): string {
  return `Disconnecting ${username} from ${system} ends sign-in with that identity.${alone ? " The person has no password, so perhaps no other way to sign in." : ""}`;
}

export function disconnected(username: string, system: string): string {
  return `Disconnected ${username} from ${system}. Sessions stay: to end them, run assent session revoke --user ${username}`;
}
