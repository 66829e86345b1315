/** The actors in a story of one account: an owner and an intruder, with everything that each of them has and knows. */

import { DerivedCredentials } from "../../packages/server/src/crypto/derived-credentials.ts";
import { Secrets } from "../../packages/server/src/crypto/server-secret.ts";
import { secretOf } from "../../packages/server/src/data-dir.ts";
import type { Authenticator } from "./authenticator-app.ts";
import type { Form } from "./http-browser.ts";
import type { TestMailbox } from "./smtp-server.ts";
import type { SoftAuthenticator } from "./soft-webauthn-authenticator.ts";
import { PASSWORD, type TestClient, type TestServer } from "./test-server.ts";

/** When each proof of the browser's session was given. */
export type Proofs = { pwd?: number; otp?: number; key?: number };

/** One browser: its cookies, and the proofs of its current session. */
export interface Browser {
  cookies: ReadonlyMap<string, string>;
  proofs: Proofs;
}

export interface Actor {
  readonly name: "owner" | "intruder";
  readonly browsers: readonly [Browser, Browser];
  /** The password that they believe to be current. */
  password: string;
  readonly addresses: readonly string[];
  readonly apps: Authenticator[];
  readonly codes: string[];
  readonly keys: SoftAuthenticator[];
  readonly tokens: { readonly client: TestClient; token: string }[];
  /** Device cookies that any of their browsers has had. */
  readonly devices: Set<string>;
  /** Links from the owner's mailbox that they have read. */
  readonly copies: Set<string>;
  /** Open forms of a second step. */
  readonly steps: { readonly browser: Browser; readonly form: Form }[];
}

/** The shared state of the stories. */
export interface Stage {
  readonly server: TestServer;
  readonly mailbox: TestMailbox;
  readonly clients: readonly [TestClient, TestClient];
  /** Decodes cookies as the server does. */
  readonly credentials: DerivedCredentials;
  /** The events that have happened at least once. */
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
