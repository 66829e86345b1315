/** `assent consent …`: what people and companies granted to clients. */

import type { OpenedAdmin } from "@assent/server/admin";
import { type Command, Option } from "commander";
import { confirmOnTerminal, counted, type YesOption, yesOption } from "../confirm.ts";
import { CONSENT_COLUMNS } from "../list-columns.ts";
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
    .addOption(yesOption("on a terminal, don't ask for confirmation"))
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
    out.list(found.slice(0, limit).map(consentRecord), CONSENT_COLUMNS, "There are no consents.");
    if (found.length > limit) out.warn(`there are more than ${limit} consents: use a filter, or raise --limit`);
  });
}

async function revoke(owner: string, clientId: string, options: JsonOption & YesOption & { readonly company?: true }) {
  await withAdmin(options, async (admin, out) => {
    const { revokeConsent } = await import("@assent/server/admin");
    const name = options.company ? { company: owner } : { user: owner };
    await (options.company ? confirmCompanyRevocation : confirmRevocation)(owner, clientId, options, admin);
    const ended = await revokeConsent(name, clientId, admin);
    const whose = options.company ? { slug: owner } : { username: owner };
    const record = { ...whose, client_id: clientId, revoked: true, grants_ended: ended };
    out.done(
      record,
      `Revoked the consent: ${counted(ended, "grant")} ended. Refresh tokens stop working now. Issued access tokens work until they expire.`,
    );
  });
}

/** Asks nothing if there is no active consent: the command says so itself. */
async function confirmRevocation(login: string, clientId: string, options: YesOption, admin: OpenedAdmin) {
  const { impactOfConsent } = await import("@assent/server/admin");
  const { person, app, grants } = await impactOfConsent(login, clientId, admin);
  if (grants === undefined) return;
  const who = `${person.username} (${person.email})`;
  await confirmOnTerminal(
    `Revoking the consent of ${who} to ${app} ends ${counted(grants, "grant")}. Issued access tokens work until they expire.`,
    options,
  );
}

/** The same for a company, as in `company revoke`. */
/** Revoking does not keep the app from coming back. */
const AFTERWARDS = {
  members:
    "The app is not blocked: the next time that a member signs in to it, they can let it in again. To prevent that, run: assent company policy SLUG CLIENT_ID --rule block.",
  ask: "The app is not blocked: members can ask an admin to let it in again.",
  block: "Only admins can let the app in again.",
  own: "The company's own rule about the app stays.",
} as const;

export async function confirmCompanyRevocation(slug: string, clientId: string, options: YesOption, admin: OpenedAdmin) {
  const { impactOfCompanyApp } = await import("@assent/server/admin");
  const { company, app, members, active, approved, afterwards } = await impactOfCompanyApp(slug, clientId, admin);
  if (!active) return;
  await confirmOnTerminal(
    `Revoking the consent of ${company.name} (${company.slug}) to ${app} ends ${approved ? "the approval and " : ""}the access that ${counted(members, "member")} gave it. Issued access tokens work until they expire. ${AFTERWARDS[afterwards]}`,
    options,
  );
}
