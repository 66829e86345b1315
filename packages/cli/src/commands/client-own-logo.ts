/** `assent client update --reviewed|--verified`: from now on, owners see the logo that the client names itself. */

import type { Client, OpenedAdmin } from "@assent/server/admin";
import type { Output } from "../print-records.ts";

/** The client as it is after its logo was fetched. A picture that can't be had is a warning. */
export async function withOwnLogo(
  client: Client,
  { reviewed, verified }: { readonly reviewed?: boolean; readonly verified?: boolean },
  admin: OpenedAdmin,
  out: Output,
): Promise<Client> {
  if (reviewed !== true && verified !== true) return client;
  const { takeLogo } = await import("@assent/server/admin");
  const taken = await takeLogo(client.clientId, admin.config.outboundAllow, admin);
  if (taken.kind === "taken") return taken.client;
  if (taken.kind === "failed") {
    const other = client.document === undefined ? ` To choose one: assent client logo ${client.clientId} FILE` : "";
    out.warn(`The logo at ${taken.address} can't be used (${taken.problem}).${other}`);
  }
  return client;
}
