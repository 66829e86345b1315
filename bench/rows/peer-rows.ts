/** Rows of other servers from npm that do the same work. */

import { generateKeyPairSync, randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { post } from "../load/http-bytes.ts";
import { collect, redemption, refresh, rotation } from "../load/token-endpoint-requests.ts";
import type { AskPeer, PeerFacts, Task } from "../peer-interface.ts";
import { CHALLENGE, ISSUER } from "../prepare-database.ts";
import { type ServerProcess, type StartOptions, startScript } from "../server-processes.ts";
import { always, inTurn, mapped, type Operation, type Row, Supply } from "./row.ts";

const IN_TURN = 2000;
/** More than one core handles in the first second. */
const MOST = 6000;

/** The server that the goals compare with. */
export const RIVAL = "oidc-provider";

/** Each file in `peers/` is a peer. */
export const peerNames = readdirSync(join(import.meta.dirname, "..", "peers"))
  .map((file) => file.replace(/\.ts$/, ""))
  .sort((a, b) => Number(b === RIVAL) - Number(a === RIVAL) || a.localeCompare(b));

const labels = {
  "client-credentials": "client credentials, secret in the form",
  redeem: "code redemption: PKCE, secret, refresh token",
  "refresh-kept": "refresh, token kept",
  "refresh-rotated": "refresh, token rotated",
  "introspect-opaque": "introspection of an opaque token",
} satisfies Partial<Record<Operation, string>>;
type PeerOperation = keyof typeof labels;
const operations = Object.keys(labels) as PeerOperation[];

export const peerRowNames = peerNames.flatMap((peer) => operations.map((operation) => `${peer}-${operation}`));

export interface RunningPeer {
  readonly name: string;
  readonly server: ServerProcess;
  readonly facts: PeerFacts;
  readonly task: Task;
}

export async function startPeer(name: string, options: StartOptions): Promise<RunningPeer> {
  const task = aTask();
  const server = await startScript<PeerFacts>("peer-process.ts", [name, JSON.stringify(task)], options);
  return { name, server, facts: server.said, task };
}

function aTask(): Task {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const aClient = () => ({
    clientId: `c-${randomBytes(8).toString("hex")}`,
    secret: `cs_${randomBytes(32).toString("base64url")}`,
    redirectUris: ["https://app.test/cb"],
  });
  return {
    issuer: ISSUER,
    audience: "https://api.test",
    scope: "read",
    key: { ...privateKey.export({ format: "jwk" }), kid: "bench" },
    keeping: aClient(),
    rotating: aClient(),
    robot: aClient(),
    codeChallenge: CHALLENGE,
  };
}

/** The named rows that the peer supports. */
export async function peerRows(peer: RunningPeer, names: ReadonlySet<string>): Promise<readonly Row[]> {
  const { facts, name } = peer;
  const able: Record<PeerOperation, boolean> = {
    "client-credentials": true,
    redeem: true,
    "refresh-kept": facts.refresh.includes("kept"),
    "refresh-rotated": facts.refresh.includes("rotated"),
    "introspect-opaque": facts.introspectionPath !== undefined,
  };
  const rows: Row[] = [];
  for (const operation of operations) {
    const row = `${name}-${operation}`;
    if (!able[operation] || !names.has(row)) continue;
    rows.push({ name: row, label: labels[operation], server: name, operation, ...(await work(operation, peer)) });
  }
  return rows;
}

async function work(
  operation: PeerOperation,
  { server, facts, task }: RunningPeer,
): Promise<Pick<Row, "next" | "prepare">> {
  const { tokenPath, introspectionPath = "" } = facts;
  const { keeping, rotating, robot } = task;
  const ask = (question: AskPeer) => server.ask<{ readonly answer: readonly string[] }>(question);
  const codes = async (client: "keeping" | "rotating", count: number) =>
    (await ask({ ask: "codes", client, count })).answer;
  const redeemed = async (client: "keeping" | "rotating") =>
    collect(
      server.port,
      (await codes(client, IN_TURN)).map((code) => redemption(tokenPath, task[client], code)),
      "refresh_token",
    );
  switch (operation) {
    case "client-credentials": {
      const secret = `client_id=${robot.clientId}&client_secret=${robot.secret}`;
      return { next: always(post(tokenPath, `grant_type=client_credentials&scope=${task.scope}&${secret}`)) };
    }
    case "redeem": {
      const supply = new Supply((count) => codes("keeping", count), MOST);
      return {
        prepare: (seconds) => supply.prepare(seconds),
        next: () => mapped(supply.next(), (code) => redemption(tokenPath, keeping, code)),
      };
    }
    case "refresh-kept": {
      const next = inTurn(await redeemed("keeping"));
      return { next: () => refresh(tokenPath, keeping, next()) };
    }
    case "refresh-rotated":
      return { next: rotation(tokenPath, rotating, await redeemed("rotating")) };
    case "introspect-opaque": {
      const form = `client_id=${robot.clientId}&client_secret=${robot.secret}&token=`;
      const { answer } = await ask({ ask: "opaque", count: IN_TURN });
      const requests = answer.map((token) => post(introspectionPath, form + token));
      // Throws if a token isn't active, because such an answer has no client and costs nothing.
      await collect(
        server.port,
        requests.map((request) => ({ request })),
        "client_id",
      );
      const next = inTurn(requests);
      return { next: () => ({ request: next() }) };
    }
  }
}
