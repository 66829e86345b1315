/** A data directory with clients, an API, owners and their grants: all that the requests of a run need. */

import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import pino from "pino";
import { DerivedCredentials } from "../packages/server/src/crypto/credential.ts";
import { newId } from "../packages/server/src/crypto/id.ts";
import { Secrets } from "../packages/server/src/crypto/secrets.ts";
import { type AssentServer, configOf, createAssent } from "../packages/server/src/index.ts";
import type { Client } from "../packages/server/src/oauth/model.ts";
import type { NewGrant } from "../packages/server/src/oauth/storage.ts";
import type { Person } from "../packages/server/src/owners/storage.ts";
import { API, registering, type TestClient } from "../test/support/server.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Below the number at which an owner's oldest grant of a client gives way. */
const GRANTS_AN_OWNER = 40;

export const ISSUER = "https://login.example.com";
export const VERIFIER = randomBytes(32).toString("base64url");

/** How many of each; a request takes one. */
export interface Wanted {
  readonly codes: number;
  /** Refresh tokens of a client that keeps them: used ten minutes ago, so that the next use is recorded. */
  readonly kept: number;
  readonly rotating: number;
}

export interface Prepared {
  /** ASSENT_SECRET of whoever serves this data. */
  readonly secret: string;
  readonly keeping: TestClient;
  readonly rotating: TestClient;
  /** Clients with tokens of their own, one for each way to prove who they are. */
  readonly robots: { readonly post: TestClient; readonly basic: TestClient; readonly jwt: TestClient };
  /** Signs for `robots.jwt`. */
  readonly robotKey: KeyObject;
  readonly api: typeof API;
  readonly codes: readonly string[];
  readonly keptTokens: readonly string[];
  readonly rotatingTokens: readonly string[];
}

/** Fills an empty data directory through the storage's own verbs, and closes it. */
export async function prepare(dataDir: string, wanted: Wanted): Promise<Prepared> {
  const secret = randomBytes(32);
  const config = configOf({ dataDir, issuer: ISSUER, secret: [secret], sqliteWriter: "main" });
  const assent = await createAssent(config, { log: pino({ level: "silent" }) });
  try {
    const register = registering(assent, Date.now);
    await register.addStandardScopes();
    const keeping = await register.addClient();
    const rotating = await register.addClient({ refresh: "rotate" });
    const { privateKey: robotKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const jwks = JSON.stringify({ keys: [publicKey.export({ format: "jwk" })] });
    const robot = (client: Partial<Client>) =>
      register.addClient({ grantTypes: ["client_credentials"], ownScopes: ["read"], scopes: [], ...client });
    const robots = {
      post: await robot({ authMethod: "client_secret_post" }),
      basic: await robot({ authMethod: "client_secret_basic" }),
      jwt: await robot({ authMethod: "private_key_jwt", secrets: [], jwks }),
    };
    const making = new Making(assent, new DerivedCredentials(new Secrets([secret])));
    return {
      secret: secret.toString("base64"),
      keeping,
      rotating,
      robots,
      robotKey,
      api: API,
      codes: await making.codes(keeping, wanted.codes),
      keptTokens: await making.refreshTokens(keeping, wanted.kept),
      rotatingTokens: await making.refreshTokens(rotating, wanted.rotating),
    };
  } finally {
    await assent.close();
  }
}

class Making {
  readonly #assent: AssentServer;
  readonly #credentials: DerivedCredentials;
  /** Everything was done ten minutes ago; codes live for a day more. */
  readonly #at = Date.now() - 10 * MINUTE;
  readonly #challenge = createHash("sha256").update(VERIFIER).digest("base64url");

  constructor(assent: AssentServer, credentials: DerivedCredentials) {
    this.#assent = assent;
    this.#credentials = credentials;
  }

  /** Fresh codes, as many as wanted, of owners with 40 each. */
  async codes(client: TestClient, count: number): Promise<string[]> {
    return (await this.#grants(client, count)).map(({ grant, salt }) =>
      this.#credentials.make("code", grant.grantId, 0, salt),
    );
  }

  /** The refresh tokens of as many redeemed grants. */
  async refreshTokens(client: TestClient, count: number): Promise<string[]> {
    const grants = await this.#grants(client, count);
    const tokens: string[] = [];
    // Not more at once than the storage lets wait.
    for (let at = 0; at < grants.length; at += 5000)
      tokens.push(...(await Promise.all(grants.slice(at, at + 5000).map(({ grant }) => this.#redeem(grant)))));
    return tokens;
  }

  async #redeem(grant: NewGrant): Promise<string> {
    const { salt, hash } = this.#credentials.newSalt();
    const outcome = await this.#assent.storage.redeemCode({
      partition: grant.partition,
      grantId: grant.grantId,
      codeSaltHash: grant.codeSaltHash,
      clientId: grant.clientId,
      redirectUri: grant.redirectUri,
      s256: this.#challenge,
      plain: null,
      resourceNamed: false,
      refreshSaltHash: hash,
      now: this.#at,
      idleUntil: this.#at + 90 * DAY,
      accessUntil: this.#at + 10 * MINUTE,
    });
    if (outcome.kind !== "redeemed") throw new Error(`a code was ${outcome.kind}`);
    return this.#credentials.make("refresh_token", grant.grantId, 1, salt);
  }

  async #grants(client: TestClient, count: number): Promise<{ grant: NewGrant; salt: Uint8Array }[]> {
    const register = registering(this.#assent, () => this.#at);
    const owners = await Promise.all(
      Array.from({ length: Math.ceil(count / GRANTS_AN_OWNER) }, () => register.addPerson()),
    );
    const made = await Promise.all(owners.map((owner) => this.#grantsOf(owner, client)));
    return made.flat().slice(0, count);
  }

  /** The first by the owner's answer on the consent page, the others under that consent. */
  async #grantsOf(owner: Person, client: TestClient): Promise<{ grant: NewGrant; salt: Uint8Array }[]> {
    const grants = Array.from({ length: GRANTS_AN_OWNER }, () => this.#newGrant(owner, client));
    for (const [at, { grant }] of grants.entries()) {
      const address = "127.0.0.1";
      const outcome =
        at > 0
          ? await this.#assent.storage.issueGrant({ grant, address, now: this.#at })
          : await this.#assent.storage.approve({
              grant,
              grantedBy: owner.personId,
              via: "browser",
              declined: [],
              duration: "forever",
              onceUntil: this.#at,
              shown: { locale: "en", clientName: client.name, logo: null },
              address,
              now: this.#at,
            });
      if (outcome.kind !== "issued") throw new Error(`a grant was ${outcome.kind}`);
    }
    return grants;
  }

  #newGrant({ partition, personId }: Person, client: TestClient): { grant: NewGrant; salt: Uint8Array } {
    const { salt, hash } = this.#credentials.newSalt();
    const grant: NewGrant = {
      partition,
      grantId: newId(partition),
      clientId: client.clientId,
      ownerId: personId,
      personId,
      refreshable: true,
      codeSaltHash: hash,
      redirectUri: client.redirectUris[0] ?? "",
      codeChallenge: this.#challenge,
      codeChallengeMethod: "S256",
      scopes: ["read"],
      audience: "https://api.test",
      authTime: this.#at,
      acr: null,
      amr: ["pwd"],
      codeUntil: this.#at + DAY,
      accessUntil: null,
    };
    return { grant, salt };
  }
}
