/** `assent key …`: keys that sign the tokens (RFC 7517). */

import type { Command } from "commander";
import { confirm, type YesOption, yesOption } from "../confirm.ts";
import { type JsonOption, noun, verb, withAdmin } from "../shared-options.ts";

export function register(program: Command): void {
  const key = noun(program, "key", "keys that sign the tokens");
  verb(key, "list", "list the keys and their state").action(list);
  verb(key, "rotate", "make the next key; it is published now and signs in 24 hours (servers do this every 30 days)")
    .option("--now", "the new key signs at once; use this if the present key has leaked")
    .option("--alg <alg>", "the algorithm of the key: ES256, or one that an API uses (assent resource list)", "ES256")
    .action(rotate);
  verb(key, "retire <kid>", "stop signing with a key; it stays published until its last token has expired")
    .option("--now", "remove the key at once; its tokens are refused")
    .addOption(yesOption())
    .addHelpText("after", "\nA kid that begins with a dash goes behind two dashes: assent key retire -- -abc…")
    .action(retire);
}

async function list(options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { keyRecord, listKeys } = await import("@assent/server/admin");
    out.list(
      (await listKeys(admin)).map(keyRecord),
      [{ field: "kid" }, { field: "alg" }, { field: "status" }, { field: "signs_from" }, { field: "published_until" }],
      "There are no keys yet: the first start of the server makes one.",
    );
  });
}

async function rotate(options: JsonOption & { readonly now?: true; readonly alg: string }) {
  await withAdmin(options, async (admin, out) => {
    const { keyRecord, listKeys, rotateKey } = await import("@assent/server/admin");
    const made = await rotateKey({ immediately: options.now ?? false, alg: options.alg }, admin);
    if (options.now) {
      out.warn(
        "the new key signs from now on; an API that caches the old key set refuses its tokens until it fetches the set again",
      );
      out.warn(
        "the previous key stays published until its tokens expire; if it has leaked, run assent key retire --now <kid>",
      );
    }
    const state = (await listKeys(admin)).find(({ key }) => key.kid === made.kid);
    if (state !== undefined) out.record(keyRecord(state));
  });
}

async function retire(kid: string, options: JsonOption & YesOption & { readonly now?: true }) {
  await withAdmin(options, async (admin, out) => {
    const { refuseRetiring, retireKey } = await import("@assent/server/admin");
    const immediately = options.now ?? false;
    await refuseRetiring(kid, { immediately }, admin);
    await confirm(
      immediately
        ? `Removing the key ${kid} at once makes APIs refuse every token that it signed, also those that have not expired. This can't be undone.`
        : `Retiring the key ${kid} ends its signing for good. Tokens that it signed work until they expire.`,
      options,
    );
    await retireKey(kid, { immediately }, admin);
    if (immediately) out.warn("an API refuses the tokens of this key as soon as it fetches the key set again");
    out.done(
      { kid, retired: true, removed: immediately },
      immediately
        ? "Removed the key."
        : "The key signs no more, and stays published for 25 hours: longer than its tokens live.",
    );
  });
}
