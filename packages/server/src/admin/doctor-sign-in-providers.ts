/** Findings about OpenID Connect providers: whether the server can open the secrets that it has at them. */

import { Secrets } from "../crypto/server-secret.ts";
import { openProviderSecret } from "../crypto/sign-in-provider-secrets.ts";
import { signInProviderOf } from "../owners/company-rules.ts";
import type { SignInProvider } from "../owners/identities/sign-in-provider.ts";
import type { AdminContext } from "./context.ts";
import { counted } from "./counted.ts";
import type { Finding } from "./doctor-finding.ts";

/** The operator's, and those of companies. */
export async function everyProvider({
  signInProviders,
  companySignIn,
}: Pick<AdminContext["storage"], "signInProviders" | "companySignIn">): Promise<readonly SignInProvider[]> {
  const [operators, companies] = await Promise.all([signInProviders.list(), companySignIn.list()]);
  return [...operators, ...companies.map(signInProviderOf).filter((one) => one !== undefined)];
}

/** `secrets`: those of the configuration. Empty: they can't be read. */
export function providerFindings(providers: readonly SignInProvider[], secrets: readonly Buffer[]): readonly Finding[] {
  if (providers.length === 0) return [];
  const all = new Secrets(secrets);
  const newest = new Secrets(secrets.slice(0, 1));
  const findings: Finding[] = [];
  let opened = 0;
  for (const { id, name, sealedSecret, status } of providers) {
    if (sealedSecret === null || openProviderSecret(newest, id, sealedSecret) !== undefined) {
      opened += 1;
    } else if (openProviderSecret(all, id, sealedSecret) === undefined) {
      const detail = `${name} (${id}): its client secret can't be decrypted, so nobody can sign in there: ASSENT_SECRET must contain the secret that it was encrypted with, behind the first of the list; or set the client secret again: assent provider update ${id} --client-secret-stdin`;
      findings.push({ check: "providers", status: status === "active" ? "broken" : "warning", detail });
    } else {
      const detail = `${name} (${id}): its client secret is encrypted with an older secret; before you remove that one from ASSENT_SECRET, set the client secret again: assent provider update ${id} --client-secret-stdin`;
      findings.push({ check: "providers", status: "note", detail });
    }
  }
  if (opened === providers.length)
    findings.push({ check: "providers", status: "ok", detail: counted(opened, "sign-in provider") });
  return findings;
}
