/**
 * Sign-in at other OpenID Connect providers, for the server. The client of the providers is loaded when somebody uses one
 * for the first time.
 */

import { randomText } from "./crypto/random.ts";
import type { Secrets } from "./crypto/server-secret.ts";
import { FOR_PEOPLE, GuardedFetcher } from "./outbound/guarded-fetch.ts";
import type { OwnProviderContext } from "./owners/companies/own-provider.ts";
import type { ExternalSignIn } from "./owners/identities/external-sign-in.ts";
import type { Elsewhere, ElsewhereContext } from "./owners/identities/sign-in-elsewhere.ts";
import type { SignInProvider, SignInProviders } from "./owners/identities/sign-in-provider.ts";
import type { UpstreamClient } from "./owners/identities/upstream-identity.ts";
import type { Storage } from "./storage/open.ts";
import type { Uses } from "./storage-subset.ts";

interface Parts {
  readonly catalog: SignInProviders;
  readonly people: ElsewhereContext;
  readonly storage: Uses<Storage, "replayCache.useOnce">;
  readonly secrets: Secrets;
  readonly outboundAllow: readonly string[];
  readonly externalSignIn: ExternalSignIn | null;
}

/** The registered providers, and the operator's own sign-in page among them. */
export function withOwnPage(catalog: SignInProviders, page: ExternalSignIn | null): SignInProviders {
  if (page === null) return { providers: () => catalog.providers() };
  // Most calls find the same map as the call before.
  const known = new WeakMap<ReadonlyMap<string, SignInProvider>, ReadonlyMap<string, SignInProvider>>();
  return {
    async providers() {
      const { asProvider, OWN_PAGE } = await import("./owners/identities/external-sign-in.ts");
      const registered = await catalog.providers();
      const all = known.get(registered) ?? new Map([...registered, [OWN_PAGE, asProvider(page)]]);
      known.set(registered, all);
      return all;
    },
  };
}

export function elsewhereOf({ catalog, people, storage, secrets, outboundAllow, externalSignIn }: Parts): Elsewhere {
  const { providers } = withOwnPage(catalog, externalSignIn);
  const client = async () => {
    const [{ OpenIdProviders }, { openProviderSecret }] = await Promise.all([
      import("./upstream/openid-provider.ts"),
      import("./crypto/sign-in-provider-secrets.ts"),
    ]);
    const monotonic = () => performance.now();
    return new OpenIdProviders({
      fetcher: new GuardedFetcher({ now: monotonic, alsoAllowed: outboundAllow, parallel: FOR_PEOPLE }),
      now: monotonic,
      secretOf({ id, sealedSecret }) {
        const opened = sealedSecret === null ? null : openProviderSecret(secrets, id, sealedSecret);
        if (opened === undefined) {
          throw new Error("the secret at a provider is sealed under a secret that isn't in ASSENT_SECRET any more");
        }
        return opened;
      },
    });
  };
  let loading: Promise<UpstreamClient> | undefined;
  const load = () => {
    loading ??= client();
    // A file that is missing now may be there the next time, for example after an installation.
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
  return {
    people,
    providers,
    useOnce: (args) => storage.replayCache.useOnce(args),
    begin: async (...args) => (await load()).begin(...args),
    finish: async (...args) => (await load()).finish(...args),
    keysAt: async (...args) => (await load()).keysAt(...args),
  };
}

/** The ids and secrets of companies' own providers. */
export function ownProviderSealing(secrets: Secrets): Pick<OwnProviderContext, "newProviderId" | "sealSecret"> {
  return {
    newProviderId: () => randomText(16),
    sealSecret: async (id, secret) =>
      (await import("./crypto/sign-in-provider-secrets.ts")).sealProviderSecret(secrets, id, secret),
  };
}
