/** `assent consent …`: what people and companies granted to clients. */

import { type Command, Option } from "commander";
import { counted } from "../confirm.ts";
import { shown } from "../print-records.ts";
import { given, type JsonOption, limitOption, noun, verb, withAdmin } from "../shared-options.ts";

/** Maximum number of listed consents if `--limit` is not given. */
const LISTED = 1000;

interface ListOptions extends JsonOption {
  readonly user?: string;
  readonly company?: string;
  readonly client?: string;
  readonly limit?: number;
}

export function register(program: Command): void {
  const consent = noun(program, "consent", "what people and companies granted to clients");
  verb(consent, "list", "list consents, also ended ones")
    .addOption(new Option("--user <user>", "only consents of this person").conflicts("company"))
    .addOption(new Option("--company <slug>", "only consents of this company"))
    .option("--client <client-id>", "only consents to this client")
    .addOption(limitOption())
    .action(list);
  verb(
    consent,
    "revoke <owner> <client-id>",
    "end a consent and all its grants; the owner is a user, or a company's slug with --company",
  )
    .option("--company", "the owner is a company; access and the approval end for all members")
    .action(revoke);
}

async function list(options: ListOptions) {
  await withAdmin(options, async (admin, out) => {
    const { consentRecord, listConsents } = await import("@assent/server/admin");
    const limit = options.limit ?? LISTED;
    const filter = {
      ...given({ user: options.user, company: options.company, clientId: options.client }),
      limit: limit + 1,
    };
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
    if (found.length > limit) out.warn(`there are more than ${limit} consents: use a filter, or raise --limit`);
  });
}

async function revoke(owner: string, clientId: string, options: JsonOption & { readonly company?: true }) {
  await withAdmin(options, async (admin, out) => {
    const { revokeConsent } = await import("@assent/server/admin");
    const name = options.company ? { company: owner } : { user: owner };
    const ended = await revokeConsent(name, clientId, admin);
    const whose = options.company ? { slug: owner } : { username: owner };
    const record = { ...whose, client_id: clientId, revoked: true, grants_ended: ended };
    out.done(
      record,
      `Revoked the consent: ${counted(ended, "grant")} ended. Refresh tokens stop working now. Issued access tokens expire within minutes.`,
    );
  });
}
