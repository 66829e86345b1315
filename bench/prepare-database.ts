/** A database with clients, APIs, owners and their grants. It makes more of them when a measurement needs new ones. */

import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import pino from "pino";
import { DerivedCredentials } from "../packages/server/src/crypto/derived-credentials.ts";
import { newId } from "../packages/server/src/crypto/ids.ts";
import { Secrets } from "../packages/server/src/crypto/server-secret.ts";
import { type AssentServer, configOf, createAssent } from "../packages/server/src/index.ts";
import type { Client } from "../packages/server/src/oauth/model.ts";
import type { NewGrant } from "../packages/server/src/oauth/storage.ts";
import type { Person } from "../packages/server/src/owners/storage.ts";
import { API, type Registering, registering, type TestClient } from "../test/support/test-server.ts";
import { type Copier, copierAt } from "./multiply-grants.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Below the limit at which a new grant ends the owner's oldest grant of a client. */
const GRANTS_AN_OWNER = 40;
/** Fewer than the number of calls that the storage lets wait. */
const AT_ONCE = 2000;
const OPEN_ID_SCOPES = ["openid", "profile", "email", "read"];

export const ISSUER = "https://login.example.com";
export const VERIFIER = randomBytes(32).toString("base64url");
export const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

/** Where the database is: the data directory's file, or a PostgreSQL. */
export interface Place {
  readonly dataDir: string;
  readonly databaseUrl?: string;
}

interface Credentials {
  readonly id: string;
  readonly secret: string;
}

/**
 * Filled by the storage's own verbs, except grants after the first one of each owner and client, which are copies.
 * Servers may run on it at the same time.
 */
export interface Prepared {
  /** The ASSENT_ variables for the server. */
  readonly env: Readonly<Record<string, string>>;
  readonly keeping: TestClient;
  readonly rotating: TestClient;
  /** Clients whose codes lead to an ID token too, by the algorithm of its signature. */
  readonly openId: Readonly<Record<"RS256" | "ES256", TestClient>>;
  /**
   * Clients that ask for tokens in their own name, one for each authentication method. `post` may also ask for
   * `sealed`.
   */
  readonly robots: { readonly post: TestClient; readonly basic: TestClient; readonly jwt: TestClient };
  /** Signs assertions for `robots.jwt`. */
  readonly robotKey: KeyObject;
  /** The API that accepts JWTs. */
  readonly api: Credentials;
  /** The API that accepts opaque tokens; its scope is `sealed`. */
  readonly opaqueApi: Credentials;
  /** Usernames of people who sign in. */
  people(count: number): Promise<readonly string[]>;
  /** Makes unused codes, which live for a day. */
  codes(client: TestClient, count: number): Promise<readonly string[]>;
  /** Refresh tokens of grants redeemed ten minutes ago, so that the next use is recorded. */
  refreshTokens(client: TestClient, count: number): Promise<readonly string[]>;
  /** The arguments of the storage for the redemption of an unused code. */
  redemptions(count: number): Promise<readonly Parameters<AssentServer["storage"]["grants"]["redeem"]>[0][]>;
  /** More clients like `robots.post`, each with its secret. */
  moreRobots(count: number): Promise<readonly TestClient[]>;
  close(): Promise<void>;
}

/** Makes the schema in an empty database, and the rows that all measurements share. */
export async function prepare({ dataDir, databaseUrl }: Place): Promise<Prepared> {
  const secret = randomBytes(32);
  const database = databaseUrl === undefined ? {} : { databaseUrl };
  const config = configOf({ dataDir, ...database, issuer: ISSUER, secret: [secret], housekeeping: false });
  const assent = await createAssent(config, { log: pino({ level: "silent" }) });
  const register = registering(assent, Date.now);
  await register.addStandardScopes();
  const opaqueApi = await register.addResource({ identifier: "https://sealed.test", tokenFormat: "opaque" });
  await register.addScope({ name: "sealed", description: "Read sealed things", resource: "https://sealed.test" });
  const keeping = await register.addClient();
  const rotating = await register.addClient({ refresh: "rotate" });
  const openId = {
    RS256: await register.addClient({ scopes: OPEN_ID_SCOPES }),
    ES256: await register.addClient({ scopes: OPEN_ID_SCOPES, idTokenAlg: "ES256" }),
  };
  const { privateKey: robotKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwks = JSON.stringify({ keys: [publicKey.export({ format: "jwk" })] });
  const robot = (client: Partial<Client>) =>
    register.addClient({ grantTypes: ["client_credentials"], ownScopes: ["read", "sealed"], scopes: [], ...client });
  const robots = {
    post: await robot({ authMethod: "client_secret_post" }),
    basic: await robot({ authMethod: "client_secret_basic" }),
    jwt: await robot({ authMethod: "private_key_jwt", secrets: [], jwks }),
  };
  const copier = await copierAt(databaseUrl === undefined ? { dataDir } : { dataDir, databaseUrl });
  const making = new Making(assent, copier, register, new DerivedCredentials(new Secrets([secret])));
  return {
    env: {
      ASSENT_ISSUER: ISSUER,
      ASSENT_DATA_DIR: dataDir,
      ASSENT_SECRET: secret.toString("base64"),
      ...(databaseUrl === undefined ? {} : { ASSENT_DATABASE_URL: databaseUrl }),
    },
    keeping,
    rotating,
    openId,
    robots,
    robotKey,
    api: API,
    opaqueApi,
    people: (count) =>
      inParts(count, async (part) => {
        const all = await Promise.all(Array.from({ length: part }, () => register.addPerson()));
        return all.map(({ username }) => username);
      }),
    codes: (client, count) => inParts(count, (part) => making.codes(client, part)),
    refreshTokens: (client, count) => inParts(count, (part) => making.refreshTokens(client, part)),
    redemptions: (count) => inParts(count, (part) => making.redemptions(keeping, part)),
    moreRobots: (count) =>
      inParts(count, (part) =>
        Promise.all(Array.from({ length: part }, () => robot({ authMethod: "client_secret_post" }))),
      ),
    close: async () => {
      await copier.close();
      await assent.close();
    },
  };
}

async function inParts<T>(count: number, make: (part: number) => Promise<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  while (all.length < count) all.push(...(await make(Math.min(AT_ONCE, count - all.length))));
  return all;
}

interface Made {
  readonly grant: NewGrant;
  readonly salt: Uint8Array;
  /** The id of the grant whose row is copied; undefined: the row exists already. */
  readonly like?: string;
}

class Making {
  readonly #assent: AssentServer;
  readonly #copier: Copier;
  readonly #register: Registering;
  readonly #credentials: DerivedCredentials;
  /** All times are ten minutes ago. */
  readonly #at = Date.now() - 10 * MINUTE;

  constructor(assent: AssentServer, copier: Copier, register: Registering, credentials: DerivedCredentials) {
    this.#assent = assent;
    this.#copier = copier;
    this.#register = register;
    this.#credentials = credentials;
  }

  async codes(client: TestClient, count: number): Promise<string[]> {
    const made = await this.#grants(client, count);
    return made.map(({ grant, salt }) => this.#credentials.make("code", grant.grantId, 0, salt));
  }

  async refreshTokens(client: TestClient, count: number): Promise<string[]> {
    const made = await this.#grants(client, count);
    return Promise.all(
      made.map(async ({ grant }) => {
        const { salt, hash } = this.#credentials.newSalt();
        const outcome = await this.#assent.storage.grants.redeem(this.#redemption(grant, hash));
        if (outcome.kind !== "redeemed") throw new Error(`a code was ${outcome.kind}`);
        return this.#credentials.make("refresh_token", grant.grantId, 1, salt);
      }),
    );
  }

  async redemptions(client: TestClient, count: number) {
    const made = await this.#grants(client, count);
    return made.map(({ grant }) => this.#redemption(grant, this.#credentials.newSalt().hash));
  }

  #redemption(grant: NewGrant, refreshSaltHash: Uint8Array) {
    return {
      partition: grant.partition,
      grantId: grant.grantId,
      codeSaltHash: grant.codeSaltHash,
      clientId: grant.clientId,
      redirectUri: grant.redirectUri,
      s256: CHALLENGE,
      plain: null,
      resourceNamed: false,
      refreshSaltHash,
      now: this.#at,
      idleUntil: this.#at + 90 * DAY,
      accessUntil: this.#at + 10 * MINUTE,
    };
  }

  /** Grants of owners who have 40 each. */
  async #grants(client: TestClient, count: number): Promise<Made[]> {
    const owners = await Promise.all(
      Array.from({ length: Math.ceil(count / GRANTS_AN_OWNER) }, () => this.#register.addPerson()),
    );
    const made = (await Promise.all(owners.map((owner) => this.#grantsOf(owner, client)))).flat().slice(0, count);
    await this.#copier.copy(made.flatMap(({ grant, like }) => (like === undefined ? [] : [{ ...grant, like }])));
    return made;
  }

  /** Makes the first grant by the owner's answer on the consent page. The others are copies of it. */
  async #grantsOf(owner: Person, client: TestClient): Promise<Made[]> {
    const [first, ...others] = Array.from({ length: GRANTS_AN_OWNER }, () => this.#newGrant(owner, client));
    if (first === undefined) return [];
    const approved = await this.#assent.storage.grants.approve({
      grant: first.grant,
      grantedBy: owner.personId,
      via: "browser",
      declined: [],
      duration: "forever",
      onceUntil: this.#at,
      shown: { locale: "en", clientName: client.name, logo: null },
      now: this.#at,
    });
    if (approved.kind !== "issued") throw new Error(`a grant was ${approved.kind}`);
    return [first, ...others.map((one) => ({ ...one, like: first.grant.grantId }))];
  }

  #newGrant({ partition, personId }: Person, client: TestClient): Made {
    const { salt, hash } = this.#credentials.newSalt();
    const openId = client.scopes.includes("openid");
    const grant: NewGrant = {
      partition,
      grantId: newId(partition),
      clientId: client.clientId,
      ownerId: personId,
      personId,
      refreshable: true,
      codeSaltHash: hash,
      redirectUri: client.redirectUris[0] ?? "",
      codeChallenge: CHALLENGE,
      codeChallengeMethod: "S256",
      scopes: openId ? OPEN_ID_SCOPES : ["read"],
      ceiling: null,
      audience: "https://api.test",
      authTime: this.#at,
      acr: null,
      amr: ["pwd"],
      nonce: openId ? VERIFIER : null,
      codeUntil: this.#at + DAY,
      accessUntil: null,
    };
    return { grant, salt };
  }
}
