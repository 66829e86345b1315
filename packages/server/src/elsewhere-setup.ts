/**
 * Sign-in at other OpenID Connect providers, for the server. The client of the providers is loaded when somebody uses one
 * for the first time.
 */

import { randomText } from "./crypto/random.ts";
import type { Secrets } from "./crypto/server-secret.ts";
import { FOR_PEOPLE, GuardedFetcher, LEFT_ALONE_BY_PEOPLE } from "./outbound/guarded-fetch.ts";
import type { OwnProviderContext } from "./owners/companies/own-provider.ts";
import type { ExternalSignIn } from "./owners/identities/external-sign-in.ts";
import type { Elsewhere, ElsewhereContext } from "./owners/identities/sign-in-elsewhere.ts";
import type { SignInProvider, SignInProviders } from "./owners/identities/sign-in-provider.ts";
import type { UpstreamClient } from "./owners/identities/upstream-identity.ts";
import type { PicturesFromElsewhere } from "./pictures-from-elsewhere.ts";
import type { Storage } from "./storage/open.ts";
import type { Uses } from "./storage-subset.ts";
import type { OpenIdProviderParts } from "./upstream/openid-provider.ts";

interface Parts {
  readonly catalog: SignInProviders;
  readonly people: ElsewhereContext;
  readonly storage: Uses<Storage, "replayCache.useOnce" | "pictures.set" | "pictures.ofPerson">;
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
    const [{ OpenIdProviders }, { OAuthProviders }, { openProviderSecret }] = await Promise.all([
      import("./upstream/openid-provider.ts"),
      import("./upstream/oauth-provider.ts"),
      import("./crypto/sign-in-provider-secrets.ts"),
    ]);
    const monotonic = () => performance.now();
    const parts: OpenIdProviderParts = {
      fetcher: new GuardedFetcher({
        now: monotonic,
        alsoAllowed: outboundAllow,
        parallel: FOR_PEOPLE,
        leftAlone: LEFT_ALONE_BY_PEOPLE,
      }),
      now: monotonic,
      secretOf({ id, sealedSecret }) {
        const opened = sealedSecret === null ? null : openProviderSecret(secrets, id, sealedSecret);
        if (opened === undefined) {
          throw new Error("the secret at a provider is sealed under a secret that isn't in ASSENT_SECRET any more");
        }
        return opened;
      },
    };
    return { openid: new OpenIdProviders(parts), oauth: new OAuthProviders(parts) };
  };
  let loading: Promise<Readonly<Record<SignInProvider["type"], UpstreamClient>>> | undefined;
  const load = () => {
    loading ??= client();
    // A file that is missing now may be there the next time, for example after an installation.
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
  let pictures: Promise<PicturesFromElsewhere> | undefined;
  const loadPictures = () => {
    pictures ??= import("./pictures-from-elsewhere.ts").then(
      (found) => new found.PicturesFromElsewhere({ storage, outboundAllow, event: people.event, now: people.now }),
    );
    return pictures;
  };
  return {
    takePicture(person, address, replaces) {
      // The person does not wait for it, and a sign-in does not fail because of it.
      void loadPictures()
        .then((found) => found.take(person, address, replaces))
        .catch(() => {
          pictures = undefined;
        });
    },
    people,
    providers,
    useOnce: (args) => storage.replayCache.useOnce(args),
    begin: async (provider, ...rest) => (await load())[provider.type].begin(provider, ...rest),
    finish: async (provider, ...rest) => (await load())[provider.type].finish(provider, ...rest),
    keysAt: async (provider, ...rest) => (await load())[provider.type].keysAt(provider, ...rest),
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
