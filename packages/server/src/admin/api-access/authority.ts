/** What the bearer of an access token may do at the admin API now, whatever was true when the token was issued. */

import { hashes } from "../../crypto/node-hashes.ts";
import { NEVER } from "../../oauth/model.ts";
import type { AccessTokens, VerifiedAccessToken } from "../../oauth/ports.ts";
import { mayGrant } from "../../owners/consent-needed.ts";
import { partitionOf } from "../../storage/partition.ts";
import type { AdminContext } from "../context.ts";
import {
  ADMIN,
  type AdminAccess,
  type AdminGroup,
  adminApiIdentifier,
  adminScope,
  adminScopes,
} from "./admin-scopes.ts";
import { ADMIN_TOKEN_PREFIX, adminTokenOf, BY_COMMAND } from "./tokens.ts";

export class Authority {
  /** `user:`, `client:` or `token:`, and the id. */
  readonly actor: string;
  readonly scopes: ReadonlySet<string>;

  constructor(actor: string, scopes: readonly string[]) {
    this.actor = actor;
    this.scopes = new Set(scopes);
  }

  /** True: it may do everything that an operator can do. */
  get isFull(): boolean {
    return this.scopes.has(ADMIN);
  }

  /** Who may change something may also see it. */
  may(group: AdminGroup, access: AdminAccess): boolean {
    if (this.isFull || this.scopes.has(adminScope(group, access))) return true;
    return access === "read" && this.scopes.has(adminScope(group, "write"));
  }

  /** True: a token with this scope could do no more than this one. */
  covers(scope: string): boolean {
    return this.isFull || this.scopes.has(scope) || this.scopes.has(scope.replace(/:read$/, ":write"));
  }
}

interface Presented {
  readonly token: string;
  /** Of the certificate of the connection (RFC 8705 §3). */
  readonly thumbprint: string | undefined;
}

/**
 * Undefined: the token is not for the admin API, has expired or was revoked, or the one whose token it is has none any
 * more. Reads the database each time, so that a change is effective at the next request.
 */
export async function authorityOf(
  { token, thumbprint }: Presented,
  accessTokens: Pick<AccessTokens, "verify">,
  context: AdminContext,
): Promise<Authority | undefined> {
  if (token.startsWith(ADMIN_TOKEN_PREFIX)) {
    const made = await adminTokenOf(token, context);
    if (made === undefined || !(await isStillFull(made.createdBy, context))) return undefined;
    return new Authority(`token:${made.tokenId}`, made.scopes);
  }
  const verified = await accessTokens.verify(token, context.now());
  if (verified === undefined) return undefined;
  const { aud, cnf, act, client_id: clientId, scope } = verified.claims;
  // One audience, this API. A company is no operator.
  if (aud !== adminApiIdentifier(context.issuer) || act !== undefined) return undefined;
  const bound = (cnf as { readonly "x5t#S256"?: unknown } | undefined)?.["x5t#S256"];
  if (cnf !== undefined && !(typeof bound === "string" && hashes.equal(bound, thumbprint ?? ""))) return undefined;
  const client = (await context.storage.clients.get({ clientId }))?.record;
  if (client?.status !== "active") return undefined;
  const asked = scope.split(" ");
  if (verified.grantId !== null) return authorityOfPerson(verified, verified.grantId, asked, context);
  if (verified.claims.sub !== clientId) return undefined;
  return new Authority(
    `client:${clientId}`,
    asked.filter((name) => client.ownScopes.includes(name)),
  );
}

/** A token that was made through the API ends when its maker could not make it any more. */
async function isStillFull(actor: string, context: AdminContext): Promise<boolean> {
  const [kind, id = ""] = [actor.slice(0, actor.indexOf(":")), actor.slice(actor.indexOf(":") + 1)];
  const { storage, now } = context;
  switch (kind) {
    case "user": {
      const partition = partitionOf(id);
      const person = partition === -1 ? undefined : await storage.people.get({ partition, personId: id });
      return person?.status === "active" && person.operator.includes("admin");
    }
    case "client": {
      const client = (await storage.clients.get({ clientId: id }))?.record;
      return client?.status === "active" && client.ownScopes.includes(ADMIN);
    }
    case "token": {
      const maker = (await storage.adminTokens.list()).find(({ tokenId }) => tokenId === id);
      return maker !== undefined && maker.expiresAt > now() && (await isStillFull(maker.createdBy, context));
    }
    default:
      return actor === BY_COMMAND;
  }
}

async function authorityOfPerson(
  { claims: { sub: personId, client_id: clientId } }: VerifiedAccessToken,
  grantId: string,
  asked: readonly string[],
  { storage, issuer, now }: AdminContext,
): Promise<Authority | undefined> {
  const partition = partitionOf(personId);
  if (partition === -1 || partitionOf(grantId) !== partition) return undefined;
  const [person, grant] = await Promise.all([
    storage.people.get({ partition, personId }),
    storage.grants.find({ partition, grantId, saltHash: null }),
  ]);
  if (person?.status !== "active" || grant?.ownerId !== personId || grant.clientId !== clientId) return undefined;
  if (grant.status !== "active" || grant.pausedAt !== null || grant.absoluteUntil <= now()) return undefined;
  const granted = new Set(grant.scopes.filter(({ expiresAt }) => (expiresAt ?? NEVER) > now()).map(({ name }) => name));
  const known = new Map(adminScopes(issuer).map((one) => [one.name, one]));
  const held = asked.filter((name) => {
    const scope = known.get(name);
    return scope !== undefined && granted.has(name) && mayGrant(person, scope);
  });
  return new Authority(`user:${personId}`, held);
}
