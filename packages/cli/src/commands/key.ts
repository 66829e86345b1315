/** `assent key …`: keys that sign the tokens (RFC 7517). */

import type { KeyRecord, KeyStatus } from "@assent/server/admin";
import type { Command } from "commander";
import { confirm, type YesOption, yesOption } from "../confirm.ts";
import type { Output } from "../print-records.ts";
import { type JsonOption, noun, verb, withAdmin } from "../shared-options.ts";

export function register(program: Command): void {
  const key = noun(program, "key", "keys that sign tokens");
  verb(key, "list", "list the keys and their state").action(list);
  verb(
    key,
    "rotate",
    "create the next key; it is published now and signs from in 24 hours (servers do this every 30 days)",
  )
    .option("--now", "sign with the new key at once; use this if the current key has leaked")
    .option("--alg <alg>", "the algorithm of the key: ES256, or one that an API uses (assent resource list)", "ES256")
    .action(rotate);
  verb(key, "retire <kid>", "stop signing with a key; it stays published until its last token has expired")
    .option("--now", "remove the key at once; APIs refuse its tokens once they fetch the keys again")
    .addOption(yesOption())
    .addHelpText("after", "\nIf the kid begins with a dash, put two dashes before it: assent key retire -- -abc…")
    .action(retire);
}

async function list(options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { keyRecord, listKeys } = await import("@assent/server/admin");
    out.list(
      (await listKeys(admin)).map(keyRecord),
      [{ field: "kid" }, { field: "alg" }, { field: "status" }, { field: "signs_from" }, { field: "published_until" }],
      "There are no keys yet: the server creates one at its first start.",
    );
  });
}

async function rotate(options: JsonOption & { readonly now?: true; readonly alg: string }) {
  await withAdmin(options, async (admin, out) => {
    const { keyRecord, listKeys, rotateKey } = await import("@assent/server/admin");
    const made = await rotateKey({ immediately: options.now ?? false, alg: options.alg }, admin);
    if (options.now) for (const warning of ROTATED_NOW) out.warn(warning);
    const state = (await listKeys(admin)).find(({ key }) => key.kid === made.kid);
    if (state !== undefined) out.record(keyRecord(state));
  });
}

async function retire(kid: string, options: JsonOption & YesOption & { readonly now?: true }) {
  await withAdmin(options, async (admin, out) => {
    const { keyRecord, refuseRetiring, retireKey } = await import("@assent/server/admin");
    const immediately = options.now ?? false;
    const key = keyRecord(await refuseRetiring(kid, { immediately }, admin));
    await confirm(await retiringText(key, immediately), options);
    await retireKey(kid, { immediately }, admin);
    await tellRetired(key, immediately, out);
  });
}

/** What the operator should know once a new key signs at once. */
export const ROTATED_NOW = [
  "the new key signs from now on; an API with a cached key set refuses its tokens until it fetches the set again",
  "the previous key stays published until its tokens expire; if it has leaked, run assent key retire --now KID",
] as const;

const AGAIN =
  "Apps then get new tokens with their refresh tokens; apps without one must ask their owners again. You can't undo this.";
const REFUSED = "as soon as it fetches the key set again, usually within minutes";

/** What the operator reads before a key is retired. */
export async function retiringText(key: KeyRecord, immediately: boolean): Promise<string> {
  const { kid, status } = key;
  const doing = `${immediately ? "Removing" : "Retiring"} the key ${kid}`;
  if (hasNeverSigned(key))
    return `${doing} ends nothing, because the key was retired before it signed a token. You can't undo this.`;
  const until = await endOf(key);
  switch (status) {
    case "signing":
      return immediately
        ? `${doing} stops its signing within a second. Each API refuses every token that the key signed ${REFUSED}. ${AGAIN}`
        : `${doing} stops its signing within a second. Another key signs from then on. Tokens that the retired key signed work until they expire. You can't undo this.`;
    case "verifying":
      return immediately
        ? `${doing}, which no longer signs, ends the tokens that it signed: each API refuses them ${REFUSED}. Otherwise they work until they expire, ${until} at the latest. ${AGAIN}`
        : `${doing} changes nothing for APIs, because it no longer signs. The key stays published until ${until}, and its tokens work until they expire. To end them sooner, add --now. You can't undo this.`;
    case "next":
      return `${doing} keeps it from ever signing. It has signed nothing yet, so no token ends. The present key goes on signing. You can't undo this.`;
    case "past":
      return `${doing} ends nothing: its tokens expired before ${until}, and it is no longer published. You can't undo this.`;
  }
}

/** The same, once it is retired. */
export async function tellRetired(key: KeyRecord, immediately: boolean, out: Output): Promise<void> {
  const { kid, status } = key;
  const hasTokens = (status === "signing" || status === "verifying") && !hasNeverSigned(key);
  if (immediately && hasTokens)
    out.warn("each API refuses the tokens of this key as soon as it fetches the key set again");
  const stays: Readonly<Record<KeyStatus, string>> = {
    signing: "It stays published for 25 hours, until its last token has expired.",
    verifying: `It stays published until ${await endOf(key)}, as before.`,
    next: "It signs nothing, and stays published for 25 hours.",
    past: "It was no longer published.",
  };
  out.done(
    { kid, retired: true, removed: immediately },
    immediately ? "Removed the key." : `Retired the key. ${stays[status]}`,
  );
}

/** True: the key was retired before it signed. It stays published like a key with tokens. */
function hasNeverSigned({ signs_from: signsFrom, retired_at: retiredAt }: KeyRecord): boolean {
  return retiredAt !== null && Date.parse(retiredAt) <= Date.parse(signsFrom);
}

/** When the key is no longer published, in words. Empty: nobody knows, because it signs now or later. */
async function endOf({ published_until: until }: KeyRecord): Promise<string> {
  if (until === null) return "";
  const { timeText } = await import("@assent/server/admin");
  return timeText(Date.parse(until));
}
