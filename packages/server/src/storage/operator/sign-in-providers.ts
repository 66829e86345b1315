/** Verbs of OpenID Connect providers at which people may sign in. */

import type { AdminStorage } from "../../admin/storage.ts";
import type { Millis } from "../../oauth/model.ts";
import type { CompanySignIn } from "../../owners/identities/company-provider.ts";
import type { SignInProvider } from "../../owners/identities/sign-in-provider.ts";
import { query, type Row, sql, steps, transaction } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { unlinkAll } from "../people/subject-links.ts";
import { isStill, json } from "../row-conversion.ts";
import { forgetConfigured, hold, raise } from "./catalog-versions.ts";

type Port = AdminStorage["signInProviders"];
type PutOutcome = Awaited<ReturnType<Port["put"]>>;

const all = sql`SELECT record FROM sign_in_providers`;

export const listProviders = query<void, readonly SignInProvider[]>({
  sql: all,
  bind: () => ({}),
  outcome: sorted,
});

/** There are few of them, so they are sorted here: the record holds the time. */
function sorted(rows: readonly Row[]): readonly SignInProvider[] {
  return rows
    .map((row) => json<SignInProvider>(row, "record"))
    .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

export const putProvider = transaction<Parameters<Port["put"]>[0], PutOutcome>(
  async (tx, { provider, create, most, expected }) => {
    await hold(tx);
    const { id, issuer, clientId } = provider;
    const present = sorted(await tx.all(all));
    if (!create && present.every((one) => one.id !== id)) return "unknown";
    const replaced = present.find((one) => one.id === id);
    if (replaced !== undefined && !isStill(replaced, expected)) return "conflict";
    const others = present.filter((one) => one.id !== id);
    if (others.some((one) => one.issuer === issuer && one.clientId === clientId)) return "taken";
    if (create && present.length >= most) return "full";
    const companies = await tx.all(sql`SELECT record FROM company_sign_in`);
    const theirs = companies.flatMap((row) => json<CompanySignIn>(row, "record").emailDomains);
    if (provider.emailDomains.some((domain) => theirs.includes(domain))) return "company_domain";
    await tx.run(
      sql`INSERT INTO sign_in_providers (id, record) VALUES (:id, :record)
        ON CONFLICT (id) DO UPDATE SET record = excluded.record`,
      { id, record: JSON.stringify(provider) },
    );
    await raise(tx, "providers");
    const kind = replaced === undefined ? "provider.created" : "provider.updated";
    await tell(tx, { kind, by: "operator", details: { provider: id } });
    return "stored";
  },
);

/** Deletes the record first: from then on nothing leads to its links, because ids are random. */
export const deleteProvider = steps<{ readonly id: string; readonly now: Millis }, boolean>(
  async (call, { id, now }) => {
    if (!(await call(removeProvider, { id }))) return false;
    await unlinkAll(call, id, now);
    return true;
  },
);

export const removeProvider = transaction<{ readonly id: string }, boolean>(async (tx, { id }) => {
  await hold(tx);
  if ((await tx.one(sql`DELETE FROM sign_in_providers WHERE id = :id RETURNING id`, { id })) === undefined)
    return false;
  await raise(tx, "providers");
  forgetConfigured(tx, "providers", id);
  await tell(tx, { kind: "provider.deleted", by: "operator", details: { provider: id } });
  return true;
});
