/** The clients whose word the server takes about people: who signed in, and who was disabled. */

import type { Config } from "../../config.ts";
import type { AdminContext } from "../context.ts";

/** A caller with the secret of one of them can speak for people, also for operators. */
export async function trustedClients(
  { externalSignIn, people }: Pick<Config, "externalSignIn" | "people">,
  { storage: { signInProviders, companySignIn } }: AdminContext,
): Promise<ReadonlySet<string>> {
  const [operators, companies] = await Promise.all([signInProviders.list(), companySignIn.list()]);
  const providers = [...operators, ...companies.map(({ provider }) => provider)];
  return new Set([
    ...(externalSignIn?.clients ?? []),
    ...(people?.changes?.clients ?? []),
    ...providers.flatMap((one) => one?.changeClients ?? []),
  ]);
}
