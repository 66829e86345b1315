/** What another authorization server brings to be measured beside ours: one file in `peers/`, which exports `peer`. */

import type { RequestListener } from "node:http";

/** The work that is wanted, the same of all: ES256 JWTs for an API, a confidential client, codes with PKCE (S256), refresh tokens. */
export interface Task {
  readonly issuer: string;
  readonly audience: string;
  readonly scope: string;
  /** What it may sign with: a P-256 private key as a JWK (RFC 7517), with `kid`. */
  readonly key: JsonWebKey & { readonly kid: string };
  /** Redeems codes and refreshes; its refresh tokens stay the same. Authenticates by HTTP Basic. */
  readonly keeping: PeerClient;
  /** The same, with refresh tokens that are replaced at each use. */
  readonly rotating: PeerClient;
  /** Asks for tokens of its own; its secret is in the form. */
  readonly robot: PeerClient;
  /** What codes are bound to: base64url(SHA-256(verifier)). */
  readonly codeChallenge: string;
}

export interface PeerClient {
  readonly clientId: string;
  readonly secret: string;
  readonly redirectUris: readonly string[];
}

export interface Peer {
  /** In the table: its name and version. */
  readonly label: string;
  /** Said below the table: what it stores, what it leaves out, what was set up otherwise than it comes. */
  readonly note: string;
  readonly listener: RequestListener;
  readonly tokenPath: string;
  /** Undefined: it introspects nothing. */
  readonly introspectionPath?: string;
  /** Which of the two kinds of refresh token it knows. */
  readonly refresh: readonly ("kept" | "rotated")[];
  /** Fresh codes for a client, as if an owner had allowed it. */
  codes(client: PeerClient, count: number): Promise<readonly string[]>;
  /** Opaque tokens that it introspects for the robot; none where it introspects nothing. */
  opaqueTokens(count: number): Promise<readonly string[]>;
}

/** What a file in `peers/` exports as `peer`. */
export type MakePeer = (task: Task) => Promise<Peer>;

/** What the benchmark learns of a peer at its start. */
export type PeerFacts = Pick<Peer, "label" | "note" | "tokenPath" | "introspectionPath" | "refresh">;

/** What the benchmark asks it for. */
export type AskPeer =
  | { readonly ask: "codes"; readonly client: "keeping" | "rotating"; readonly count: number }
  | { readonly ask: "opaque"; readonly count: number };
