/** The interface of another authorization server in the benchmark: one file in `peers/`, which exports `peer`. */

import type { RequestListener } from "node:http";

/**
 * The work, which is the same for all servers: ES256 JWTs for an API, a confidential client, codes with PKCE (S256),
 * refresh tokens.
 */
export interface Task {
  readonly issuer: string;
  readonly audience: string;
  readonly scope: string;
  /** The signing key: a P-256 private key as a JWK (RFC 7517), with `kid`. */
  readonly key: JsonWebKey & { readonly kid: string };
  /** The client that redeems codes and refreshes. Its refresh tokens stay the same. It authenticates by HTTP Basic. */
  readonly keeping: PeerClient;
  /** The same, but each use replaces the refresh token. */
  readonly rotating: PeerClient;
  /** The client that asks for tokens in its own name. Its secret is in the form. */
  readonly robot: PeerClient;
  /** The code challenge of the codes: base64url(SHA-256(verifier)). */
  readonly codeChallenge: string;
}

export interface PeerClient {
  readonly clientId: string;
  readonly secret: string;
  readonly redirectUris: readonly string[];
}

export interface Peer {
  /** Name and version for the table. */
  readonly label: string;
  /** The note below the table: what the server stores, what it leaves out, and which settings are not its defaults. */
  readonly note: string;
  readonly listener: RequestListener;
  readonly tokenPath: string;
  /** Undefined: it has no introspection. */
  readonly introspectionPath?: string;
  /** The kinds of refresh token that it supports. */
  readonly refresh: readonly ("kept" | "rotated")[];
  /** Fresh codes for a client, as if an owner had allowed it. */
  codes(client: PeerClient, count: number): Promise<readonly string[]>;
  /** Opaque tokens that it introspects for the robot; empty if it introspects nothing. */
  opaqueTokens(count: number): Promise<readonly string[]>;
}

/** What a file in `peers/` exports as `peer`. */
export type MakePeer = (task: Task) => Promise<Peer>;

/** What a peer tells the benchmark at its start. */
export type PeerFacts = Pick<Peer, "label" | "note" | "tokenPath" | "introspectionPath" | "refresh">;

/** The requests of the benchmark to a peer. */
export type AskPeer =
  | { readonly ask: "codes"; readonly client: "keeping" | "rotating"; readonly count: number }
  | { readonly ask: "opaque"; readonly count: number };
