/** A member asks the admins of their company to let an app act in its name. */

import type { Client, Millis, Scope } from "../../oauth/model.ts";
import { MAX_REASON } from "../company.ts";
import { answeredScopes } from "../consent.ts";
import { chosenOwner, judgedFor, type OwnerChoice } from "../owner-choice.ts";
import type { AnswerForm } from "./answer.ts";
import type { AuthorizationContext } from "./context.ts";

/** What is asked for, of which company, and why. */
export interface AskedAdmins {
  readonly owner: OwnerChoice;
  readonly scopes: readonly Scope[];
  readonly reason: string;
}

/** Null: nothing is wrong. `reason`: there is none, or it is none that can be shown. `too_many`: so many of theirs wait already. */
export type AdminProblem = "reason" | "too_many" | null;

/** The form of a wish. */
export type AdminForm = Pick<AnswerForm, "owner" | "scopes"> & { readonly reason: string };

/** What a form asks for; undefined: not of a company whose admins would have to be asked. */
export function readAdminRequest(
  { owner: named, scopes: ticked, reason }: AdminForm,
  owners: readonly OwnerChoice[],
  now: Millis,
): AskedAdmins | undefined {
  const chosen = chosenOwner(owners, named);
  if (chosen === undefined) return undefined;
  const { granted } = answeredScopes(chosen.scopes, ticked);
  const owner = judgedFor(chosen, granted, now);
  if (owner.verdict !== "ask" || granted.length === 0) return undefined;
  return { owner, scopes: chosen.scopes.filter(({ name }) => granted.includes(name)), reason };
}

/** Puts the wish into the admins' queue. `redirectUri`: where the answer would go; absent: to a device. */
export async function askAdmins(
  { owner, scopes, reason }: AskedAdmins,
  { client, redirectUri }: { readonly client: Pick<Client, "clientId" | "name">; readonly redirectUri?: string },
  personId: string,
  context: Pick<AuthorizationContext, "storage" | "noticeLetters" | "notify" | "event" | "now">,
): Promise<AdminProblem> {
  if (reason === "" || reason.length > MAX_REASON || !reason.isWellFormed() || reason.includes("\0")) return "reason";
  const { company, member } = owner.acting ?? {};
  if (company === undefined || member === undefined) return null;
  const { partition, companyId } = company;
  const names = scopes.map(({ name }) => name);
  const { clientId } = client;
  const notice = {
    kind: "company_request",
    company: { companyId, slug: company.slug, name: company.name },
    client: { clientId, name: client.name },
    by: { personId, username: member.username },
    reason,
  } as const;
  const now = context.now();
  const mails = await context.noticeLetters(notice);
  const key = { partition, companyId, clientId, personId };
  const place = redirectUri === undefined ? {} : { redirectUri };
  const outcome = await context.storage.companyApps.askApproval({
    ...key,
    scopes: names,
    ...place,
    reason,
    mails,
    now,
  });
  if (outcome.kind === "too_many") return "too_many";
  if (outcome.kind === "asked") {
    const what = { client_id: clientId, person: personId, scope: names.join(" ") };
    context.event("company_request_made", { company: companyId, ...what });
    context.notify(notice);
  }
  return null;
}
