/**
 * The process of a peer. `peer-process.ts <name> <task as JSON>` listens on a free port and answers the benchmark's
 * requests.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serverOptions } from "../packages/server/src/http/connections/request-handler.ts";
import type { AskPeer, MakePeer, Task } from "./peer-interface.ts";

const [name = "", json = ""] = process.argv.slice(2);
const task = JSON.parse(json) as Task;
const { peer: make } = (await import(`./peers/${name}.ts`)) as { readonly peer: MakePeer };
const peer = await make(task);
// It ends with its parent process.
process.on("disconnect", () => process.exit());
process.on("message", async (message: AskPeer | object) => {
  if (!("ask" in message)) return;
  const answer =
    message.ask === "codes"
      ? await peer.codes(task[message.client], message.count)
      : await peer.opaqueTokens(message.count);
  process.send?.({ answer });
});
const server = createServer(serverOptions, peer.listener);
server.listen(0, "127.0.0.1", () => {
  const { label, note, tokenPath, introspectionPath, refresh } = peer;
  process.send?.({
    port: (server.address() as AddressInfo).port,
    ...{ label, note, tokenPath, introspectionPath, refresh },
  });
});
