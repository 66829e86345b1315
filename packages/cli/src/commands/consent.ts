/** `assent consent …`: what people granted to clients. */

import type { Command } from "commander";
import { given, type JsonOption, limitOption, noun, verb, withAdmin } from "../command.ts";
import { shown } from "../output.ts";

/** What is listed where `--limit` says nothing. */
const LISTED = 1000;

interface ListOptions extends JsonOption {
  readonly user?: string;
  readonly client?: string;
  readonly limit?: number;
}

export function register(program: Command): void {
  const consent = noun(program, "consent", "what people granted to clients");
  verb(consent, "list", "list consents, those that ended included")
    .option("--user <user>", "of this person")
    .option("--client <client-id>", "for this client")
    .addOption(limitOption())
    .action(list);
  verb(consent, "revoke <user> <client-id>", "end a consent and every grant under it").action(revoke);
}

async function list(options: ListOptions) {
  await withAdmin(options, async (admin, out) => {
    const { consentRecord, listConsents } = await import("@assent/server/admin");
    const limit = options.limit ?? LISTED;
    const filter = { ...given({ user: options.user, clientId: options.client }), limit: limit + 1 };
    const found = await listConsents(filter, admin);
    out.list(
      found.slice(0, limit).map(consentRecord),
      [
        { field: "owner_id" },
        { field: "client_id" },
        { field: "client_name" },
        { field: "status" },
        { field: "scopes", show: (scopes) => shown((scopes as { name: string }[]).map(({ name }) => name).join(" ")) },
        { field: "updated_at" },
        { field: "expires_at" },
      ],
      "There are no consents.",
    );
    if (found.length > limit) out.warn(`there are more than these ${limit}: narrow them down, or raise --limit`);
  });
}

async function revoke(user: string, clientId: string, options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { revokeConsent } = await import("@assent/server/admin");
    const ended = await revokeConsent(user, clientId, admin);
    const record = { username: user, client_id: clientId, revoked: true, grants_ended: ended };
    out.done(
      record,
      `Revoked: ${ended} grant(s) ended. Refreshing stops now; access tokens already issued end by themselves within minutes.`,
    );
  });
}
