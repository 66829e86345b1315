/** A server on the database of a workspace, so that commands work on it locally and over the network. */

import { join } from "node:path";
import { adminToken } from "../../../../test/support/admin-api.ts";
import { startServer, type TestServer } from "../../../../test/support/test-server.ts";
import type { Workspace } from "./run-command.ts";

export interface Served {
  readonly server: TestServer;
  /** The environment of a command that works over the network. */
  readonly remote: Record<string, string>;
}

export async function serveWorkspace({ dataDir }: Workspace): Promise<Served> {
  const databaseUrl = `sqlite:${join(dataDir, "assent.db")}`;
  const server = await startServer({ dataDir, config: { databaseUrl } });
  return { server, remote: { ASSENT_SERVER: server.issuer, ASSENT_TOKEN: await adminToken(server) } };
}
