/** Who plays in a story of one account: an owner and an intruder, with all that each of them has and knows. */

import { DerivedCredentials } from "../../packages/server/src/crypto/credential.ts";
import { Secrets } from "../../packages/server/src/crypto/secrets.ts";
import { secretOf } from "../../packages/server/src/data-dir.ts";
import type { SoftAuthenticator } from "./authenticator.ts";
import type { Form } from "./browser-like.ts";
import type { Authenticator } from "./second-step.ts";
import { PASSWORD, type TestClient, type TestServer } from "./server.ts";
import type { TestMailbox } from "./smtp.ts";

/** When each proof was given that the session of a browser rests on. */
export type Proofs = { pwd?: number; otp?: number; key?: number };

/** One browser: its cookies, and what was proved in it for the session of now. */
export interface Browser {
  cookies: ReadonlyMap<string, string>;
  proofs: Proofs;
}

export interface Actor {
  readonly name: "owner" | "intruder";
  readonly browsers: readonly [Browser, Browser];
  /** What they believe the password to be. */
  password: string;
  readonly addresses: readonly string[];
  readonly apps: Authenticator[];
  readonly codes: string[];
  readonly keys: SoftAuthenticator[];
  readonly tokens: { readonly client: TestClient; token: string }[];
  /** Device cookies that any of their browsers ever had. */
  readonly devices: Set<string>;
  /** Links to the owner's mailbox that they have read. */
  readonly copies: Set<string>;
  /** Forms of a second step that they have left open. */
  readonly steps: { readonly browser: Browser; readonly form: Form }[];
}

/** What the stories share. */
export interface Stage {
  readonly server: TestServer;
  readonly mailbox: TestMailbox;
  readonly clients: readonly [TestClient, TestClient];
  /** Reads cookies as the server does. */
  readonly credentials: DerivedCredentials;
  /** What has happened at least once. */
  readonly seen: Set<string>;
}

export function aStage(server: TestServer, mailbox: TestMailbox, clients: readonly [TestClient, TestClient]): Stage {
  const credentials = new DerivedCredentials(new Secrets(secretOf(server.dataDir)));
  return { server, mailbox, clients, credentials, seen: new Set() };
}

export const aBrowser = (): Browser => ({ cookies: new Map(), proofs: {} });

export function anActor(name: Actor["name"], addresses: readonly string[]): Actor {
  return {
    ...{ name, addresses, password: PASSWORD, browsers: [aBrowser(), aBrowser()], apps: [], codes: [], keys: [] },
    ...{ tokens: [], devices: new Set(), copies: new Set(), steps: [] },
  };
}
