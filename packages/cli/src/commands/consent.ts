/** `assent consent …`: what people and companies granted to clients. */

import type { CompanyAppImpactRecord, ConsentImpactRecord } from "@assent/server/admin";
import { type Command, Option } from "commander";
import { confirmOnTerminal, counted, TOKENS, type YesOption, yesOption } from "../confirm.ts";
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
    out.list(
      found.slice(0, limit).map((one) => consentRecord(one, admin.now())),
      CONSENT_COLUMNS,
      "There are no consents.",
    );
    if (found.length > limit) out.warn(`there are more than ${limit} consents: use a filter, or raise --limit`);
  });
}

async function revoke(owner: string, clientId: string, options: JsonOption & YesOption & { readonly company?: true }) {
  await withAdmin(options, async (admin, out) => {
    const { companyAppImpactRecord, consentImpactRecord, impactOfCompanyApp, impactOfConsent, revokeConsent } =
      await import("@assent/server/admin");
    const name = options.company ? { company: owner } : { user: owner };
    const impact = options.company && companyAppImpactRecord(await impactOfCompanyApp(owner, clientId, admin));
    if (impact) await confirmCompanyRevocation(impact, clientId, options);
    else await confirmRevocation(owner, consentImpactRecord(await impactOfConsent(owner, clientId, admin)), options);
    const ended = await revokeConsent(name, clientId, admin);
    const whose = options.company ? { slug: owner } : { username: owner };
    out.done(
      { ...whose, client_id: clientId, revoked: true, grants_ended: ended },
      impact ? revokedForCompany(impact, clientId, ended) : revokedConsent(ended),
    );
  });
}

export function revokedConsent(ended: number): string {
  return `Revoked the consent: ${counted(ended, "grant")} ended. Refresh tokens stop working now. ${TOKENS}`;
}

/** Asks nothing if there is no active consent: the command says so itself. `owner`: as the operator named them. `on`: the server, over the network. */
export async function confirmRevocation(
  owner: string,
  { app, grants }: ConsentImpactRecord,
  options: YesOption,
  on = "",
) {
  if (grants === null) return;
  await confirmOnTerminal(
    `${on}Revoking the consent of ${owner} to ${app} ends ${counted(grants, "grant")}. ${TOKENS}`,
    options,
  );
}

/** Revoking does not keep the app from coming back. */
const AFTERWARDS = {
  members: "The app is not blocked: the next time that a member signs in to it, they can let it in again.",
  ask: "The app is not blocked: members can ask an admin to let it in again.",
  block: "Only admins can let the app in again.",
  own: "The company's own rule about the app stays.",
} as const;

/** The command that keeps an app from coming back if members decide. */
export function howToBlock(slug: string, clientId: string): string {
  return `To prevent that, run: assent company policy ${slug} ${clientId} --rule block`;
}

/** The same for a company, as in `company revoke`. */
export async function confirmCompanyRevocation(
  impact: CompanyAppImpactRecord,
  clientId: string,
  options: YesOption,
  on = "",
) {
  const { company, app, members, active, approved, rule_afterwards: rule } = impact;
  if (!active) return;
  const block = rule === "members" ? ` ${howToBlock(company.slug, clientId)}` : "";
  await confirmOnTerminal(
    `${on}Revoking the consent of ${company.name} (${company.slug}) to ${app} ends ${approved ? "the approval and " : ""}the access that ${counted(members, "member")} gave it. ${TOKENS} ${AFTERWARDS[rule]}${block}`,
    options,
  );
}

/** Revoking does not keep the app from coming back. */
const AFTER_REVOKING = {
  members: "The company lets members decide, so they can connect the app again.",
  ask: "Members ask an admin before they connect the app again.",
  block: "Only admins can connect the app again.",
  own: "The company's own rule about the app stays.",
} as const;

/** What has ended with a company's consent, and how the app can come back. */
export function revokedForCompany(
  { company, approved, rule_afterwards: rule }: CompanyAppImpactRecord,
  clientId: string,
  ended: number,
): string {
  const block = rule === "members" ? ` ${howToBlock(company.slug, clientId)}` : "";
  return `${revokedConsent(ended)}${approved ? " The approval has ended, too." : ""} ${AFTER_REVOKING[rule]}${block}`;
}
