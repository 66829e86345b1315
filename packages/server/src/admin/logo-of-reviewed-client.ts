/**
 * The logo that a client names itself (`logo_uri`, RFC 7591 §2). It is fetched once, when an operator has reviewed the
 * client: before that, a picture of a stranger would only help to imitate others. Owners load it from this server.
 */

import type { Client } from "../oauth/model.ts";
import { GuardedFetcher } from "../outbound/guarded-fetch.ts";
import { AdminError } from "./admin-error.ts";
import { MAX_LOGO_BYTES, storeLogo } from "./client-logo.ts";
import { clientOf, rewriteClient } from "./clients.ts";
import type { AdminContext } from "./context.ts";
import { selfRegistration } from "./self-registered-client.ts";

export type TakenLogo =
  /** The client names no picture, has a logo already, or nobody has reviewed it. */
  | { readonly kind: "none" }
  | { readonly kind: "taken"; readonly client: Client }
  /** `problem` is for the operator. */
  | { readonly kind: "failed"; readonly address: string; readonly problem: string };

/** `allowed`: CIDRs of addresses that are allowed although they are not public (ASSENT_OUTBOUND_ALLOW). */
export async function takeLogo(
  clientId: string,
  allowed: readonly string[],
  context: AdminContext,
): Promise<TakenLogo> {
  const address = wantedLogo(await clientOf(clientId, context));
  if (address === undefined) return { kind: "none" };
  const accept = "image/png, image/jpeg, image/webp, image/gif";
  const fetched = await fetcherOf(allowed).fetch(address, { accept, maxBytes: MAX_LOGO_BYTES });
  if (fetched.kind === "failed") return { kind: "failed", address, problem: `${fetched.fault}: ${fetched.detail}` };
  try {
    const logo = await storeLogo(fetched.body, context);
    const client = await rewriteClient(clientId, context, async (before) => {
      // The client changed its address meanwhile, or an operator chose a picture.
      if (wantedLogo(before) !== address) return before;
      const registered = before.registered === undefined ? {} : selfRegistration({ ...before, logo }, before);
      return { ...before, logo, ...registered, updatedAt: context.now() };
    });
    return client.logo === logo ? { kind: "taken", client } : { kind: "none" };
  } catch (error) {
    if (error instanceof AdminError) return { kind: "failed", address, problem: error.message };
    throw error;
  }
}

/** One for all logos of a process, so that its limits hold for them together. */
let shared: { readonly allowed: string; readonly fetcher: GuardedFetcher } | undefined;

function fetcherOf(allowed: readonly string[]): GuardedFetcher {
  const key = allowed.join();
  if (shared?.allowed !== key) {
    shared = { allowed: key, fetcher: new GuardedFetcher({ now: () => performance.now(), alsoAllowed: allowed }) };
  }
  return shared.fetcher;
}

function wantedLogo({ logo, reviewed, verified, registered, document }: Client): string | undefined {
  const judged = reviewed === true || verified === true;
  const address = registered?.logoUri ?? document?.logoUri ?? null;
  return judged && logo === null && address !== null ? address : undefined;
}
