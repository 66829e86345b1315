/** `assent receipt …`: signed copies of entries in an owner's history. */

import { createReadStream } from "node:fs";
import type { ReceiptClaims, ReceiptFault } from "@assent/server/admin";
import type { Command } from "commander";
import { Failure } from "../command-errors.ts";
import type { WireRecord } from "../print-records.ts";
import { type JsonOption, noun, verb, withAdmin } from "../shared-options.ts";

export function register(program: Command): void {
  const receipt = noun(program, "receipt", "signed copies of what owners decided");
  verb(receipt, "verify <file>", "verify a receipt with the keys in the database, and explain it; - reads from a pipe")
    .addHelpText("after", '\nThe file is the one that the history offers, or only the text after "receipt" in it.')
    .action(verify);
}

async function verify(file: string, options: JsonOption) {
  const text = await textOf(file);
  await withAdmin(options, async (admin, out) => {
    const { receiptOf } = await import("@assent/server/admin");
    const verified = await receiptOf(text, admin);
    if (verified.kind === "invalid") {
      const { fault } = verified;
      out.report({ valid: false, fault: typeof fault === "string" ? fault : fault.kind }, () => undefined);
      throw new Failure(`${file}: ${problemOf(fault, admin.issuer)}`);
    }
    const { claims } = verified;
    out.report({ valid: true, fault: null, content: claims }, (text) => text.record(explained(claims)));
    out.note(`${admin.issuer} signed this receipt, and it has not been changed.`);
    out.note(
      "It shows a past decision. It doesn't prove that the app still has access: see assent consent list. It names the owner only by ID.",
    );
  });
}

function problemOf(fault: ReceiptFault, issuer: string): string {
  if (typeof fault !== "string") {
    return `not valid: it is from another server (${fault.issuer}); this server is ${issuer} (ASSENT_ISSUER)`;
  }
  return `not valid: ${PROBLEMS[fault]}`;
}

const PROBLEMS: Readonly<Record<Extract<ReceiptFault, string>, string>> = {
  missing: "it is empty",
  too_long: "it is too long to be a receipt",
  malformed: "it is not a receipt, or a part is missing",
  other_type: "it is another kind of signed text, perhaps an access token: keep it secret",
  unknown_key: "this server doesn't publish the key that signed it, or no longer publishes it",
  altered: "it was changed after it was signed, or this server never signed it",
};

const EVENTS: Readonly<Record<ReceiptClaims["event"], string>> = {
  allowed: "access was allowed",
  reconnected: "the app connected again",
  vouched: "the app may act for the owner at another server",
  delegated: "another app got access through the app",
  connected: "a member of the company connected the app",
  refused: "the owner refused a request of the app",
  narrowed: "permissions were removed",
  end_changed: "the end of the access was changed",
  paused: "the owner paused the app",
  resumed: "the owner let the app go on",
  revoked: "the access was revoked",
  given_up: "the app gave up its access",
  alarm: "the app was disconnected because a code or token was used twice",
  ended: "the access ended without a decision about the app",
  signed_out: "another system ended the sign-ins that began there",
  disabled: "another system disabled the account",
  enabled: "the account was enabled again",
  member_left: "a member left the company or was removed",
  member_joined: "a member joined the company or was added",
  member_role: "the role of a member changed",
  member_invited: "a person was invited to the company",
  invitation_withdrawn: "an invitation to the company was withdrawn",
  own_sign_in: "the company's own sign-in provider was connected, changed, switched or removed",
  connection: "an app was connected with another server for the company's members, or that was changed or removed",
  rule_changed: "the company's rule about the app, or its default rule, changed",
};

/** The facts of a receipt with their usual names. Facts that this event doesn't have are left out. */
function explained(claims: ReceiptClaims): WireRecord {
  const { app, allowed, asked, taken_away: removed, redirect_hosts: hosts, earlier_until: earlier } = claims;
  const facts: WireRecord = {
    // An answer of a member or admin is about their own access.
    event: `${claims.event}: ${EVENTS[claims.event === "allowed" && claims.member !== undefined ? "connected" : claims.event]}`,
    event_at: claims.event_at,
    app: app?.name ?? undefined,
    client_id: app?.client_id,
    owner_id: claims.sub,
    decided_by: claims.by === claims.sub ? "the owner" : claims.by,
    member: claims.member,
    role: claims.role,
    rule: claims.rule,
    own_sign_in: claims.own_sign_in,
    system: claims.system,
    for: claims.for?.replace("_", " "),
    via: claims.via ?? undefined,
    cause: claims.cause,
    allowed: allowed.length === 0 ? undefined : allowed.map(permission),
    asked: asked?.map(({ scope, text }) => (text === null ? scope : `${scope} (${text})`)),
    taken_away: removed.length === 0 ? undefined : removed,
    taken_from: claims.taken_from,
    redirect_hosts: hosts,
    earlier_access: earlier === undefined ? undefined : endText(earlier),
    receipt_id: claims.jti,
    receipt_at: claims.iat,
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

function permission({ scope, text, until }: ReceiptClaims["allowed"][number]): string {
  return `${text === null ? scope : `${scope} (${text})`}, ${endText(until)}`;
}

/** `until`: in seconds. Null: until revoked. */
function endText(until: number | null): string {
  return until === null ? "until revoked" : `until ${new Date(until * 1000).toISOString()}`;
}

async function textOf(file: string): Promise<string> {
  const { LONGEST_RECEIPT } = await import("@assent/server/admin");
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of file === "-" ? process.stdin : createReadStream(file)) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
      // The rest would not make it a receipt.
      if (length > 4 * LONGEST_RECEIPT) break;
    }
  } catch (error) {
    throw new Failure(`${file}: the file can't be read (${(error as Error).message})`);
  }
  return Buffer.concat(chunks).toString();
}
