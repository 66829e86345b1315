/** Sessions that began at a company's own provider, of a person who is out of the company's reach from now on. */

import type { Person } from "../owners/storage.ts";
import type { AdminContext } from "./context.ts";

/** The company's admins may have signed in as the person. `kept`: the company whose sessions stay. Null: none. */
export async function endCompanySessions(
  { partition, personId }: Person,
  kept: string | null,
  { storage, now }: AdminContext,
): Promise<void> {
  const links = await storage.subjectLinks.ofPerson({ partition, personId });
  if (links.length === 0) return;
  const companies = (await storage.companySignIn.list()).filter(({ companyId }) => companyId !== kept);
  const names = new Map(companies.flatMap(({ provider }) => (provider ? [[provider.id, provider.name] as const] : [])));
  for (const subject of links) {
    const name = names.get(subject.issuerId);
    if (name !== undefined) await storage.sessions.endUpstream({ name, subject, sid: null, now: now() });
  }
}
