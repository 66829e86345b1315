/**
 * A client's secrets: made, stored as a hash or sealed, replaced (RFC 6749 §2.3.1; RFC 7523 §3 if HMAC needs the secret
 * itself).
 */

import { openClientSecrets, sealClientSecrets } from "../crypto/client-secrets.ts";
import { hashes } from "../crypto/node-hashes.ts";
import type { Secrets } from "../crypto/server-secret.ts";
import type { Client, ClientAuthMethod, ClientSecret, Millis, Resource } from "../oauth/model.ts";
import { type Remark, refuse } from "./admin-error.ts";
import type { AdminContext } from "./context.ts";
import { newSecret } from "./generated-secrets.ts";

/** The fields of a client's record that hold its secrets. */
export type SecretFields = Pick<Client, "secrets" | "sealedSecret">;

export const NO_SECRETS: SecretFields = { secrets: [], sealedSecret: null };

/** Maximum number of valid secrets: each request is compared with all of them. */
const MOST = 4;

/**
 * `hash`: the client sends the secret, and the server compares hashes. `sealed`: the secret makes HMACs, and is never
 * sent. `none`: keys, or nothing.
 */
export function secretKind(method: ClientAuthMethod): "hash" | "sealed" | "none" {
  switch (method) {
    case "client_secret_basic":
    case "client_secret_post":
      return "hash";
    case "client_secret_jwt":
      return "sealed";
    default:
      return "none";
  }
}

/** A new secret in the form that the method needs. Null: the method has none. */
export function secretFor(method: ClientAuthMethod, context: AdminContext): string | null {
  const kind = secretKind(method);
  return kind === "none" ? null : newSecret(context, kind === "sealed" ? 64 : 32);
}

/** The server stores a hash that is fast to compute, so a secret that people can remember would be found. */
const SHORTEST = 32;
const LONGEST = 200;

export function chosenSecretProblems(secret: string | undefined, field: string): readonly Remark[] {
  if (secret === undefined) return [];
  // A word that is repeated is long, and no secret.
  const fits =
    secret.length >= SHORTEST &&
    secret.length <= LONGEST &&
    /^[\u0021-\u007e]+$/.test(secret) &&
    new Set(secret).size >= 10;
  if (fits) return [];
  const problem = `must be ${SHORTEST} to ${LONGEST} random printable ASCII characters without spaces: openssl rand -hex 32 makes one`;
  return [{ field, problem }];
}

/** True: the client's newest secret is this one. */
export function hasCurrentSecret({ secrets }: Pick<Client, "secrets">, secret: string): boolean {
  const newest = secrets.at(-1);
  return newest !== undefined && newest.expiresAt === null && hashes.equal(newest.hash, hashes.sha256(secret));
}

/** True: the API introspects with this secret. */
export function hasIntrospectionSecret({ introspectionSecretHash }: Resource, secret: string): boolean {
  return hashes.equal(introspectionSecretHash, hashes.sha256(secret));
}

/** The secrets with a new one, made at `now`. The previous ones work for `overlap` milliseconds more. */
export function withSecret(
  { clientId, authMethod, secrets, sealedSecret }: Pick<Client, "clientId" | "authMethod"> & SecretFields,
  secret: string,
  { now, overlap }: { readonly now: Millis; readonly overlap: Millis },
  context: Pick<AdminContext, "secrets">,
): SecretFields {
  const old = secrets
    .map((one): ClientSecret => ({ ...one, expiresAt: Math.min(one.expiresAt ?? now + overlap, now + overlap) }))
    .filter(({ expiresAt }) => (expiresAt ?? 0) > now)
    .slice(1 - MOST);
  const fresh: ClientSecret = { hash: hashes.sha256(secret), createdAt: now, expiresAt: null };
  const all = [...old, fresh];
  if (secretKind(authMethod) !== "sealed") return { secrets: all, sealedSecret: null };
  const sealing = sealingOf(context);
  const before = sealedSecret === null ? [] : openClientSecrets(sealing, clientId, sealedSecret);
  if (before === undefined && old.length > 0) {
    refuse(
      "conflict",
      null,
      "the server can't decrypt the current secret, because ASSENT_SECRET changed: replace it with --overlap 0",
    );
  }
  const kept = (before ?? []).filter((one) => old.some(({ hash }) => hash === hashes.sha256(one)));
  return { secrets: all, sealedSecret: sealClientSecrets(sealing, clientId, [...kept, secret]) };
}

/**
 * Keeps secrets only if both methods store them alike: a secret that is sent must never serve as an HMAC key, or the
 * reverse.
 */
export function secretsAfter(before: Client, method: ClientAuthMethod): SecretFields {
  const { secrets, sealedSecret, authMethod } = before;
  return secretKind(authMethod) === secretKind(method) ? { secrets, sealedSecret } : NO_SECRETS;
}

function sealingOf({ secrets }: Pick<AdminContext, "secrets">): Secrets {
  return secrets?.() ?? refuse("conflict", null, "there is no key to encrypt the secret with");
}
