/** Somebody asks for mail who may be anybody. The outcome does not depend on who exists. */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import type { KnownDeviceStorage } from "../known-device-storage.ts";
import { type PresentedDevice, seenDevice } from "../recognize-known-device.ts";
import type { MailDesk, MailRequest } from "./answer-mail-request.ts";
import { type Asker, askedTooOften, type MailLimitContext } from "./mail-limits.ts";

export interface AskContext extends MailLimitContext {
  readonly storage: MailLimitContext["storage"] & Uses<KnownDeviceStorage, "knownDevices.get">;
  readonly mailDesk: MailDesk;
}

/** `missing`: what was typed can't be what is asked for. `full`: too much mail waits, and nothing was taken. */
export type MailAsked =
  | { readonly kind: "asked" | "missing" | "full" }
  | { readonly kind: "throttled"; readonly until: Millis };

/** Checks the limits, and stores the request. `device`: the device of the browser's cookie; it may belong to another person. */
export async function askForMail(
  { network, provider, device }: Omit<Asker, "device"> & { readonly device: PresentedDevice | undefined },
  requestOf: (asker: Asker) => MailRequest | undefined,
  context: AskContext,
): Promise<MailAsked> {
  const asker = { network, provider, device: await seenDevice(device, context.storage) };
  const request = requestOf(asker);
  if (request === undefined) return { kind: "missing" };
  const until = await askedTooOften(asker, context);
  if (until !== undefined) return { kind: "throttled", until };
  const from = asker.device === undefined ? "anybody" : "a known device";
  return { kind: (await context.mailDesk.ask(request, from)) ? "asked" : "full" };
}
