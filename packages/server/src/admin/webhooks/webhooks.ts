/** The operator's use-cases of webhooks: create, list, change, delete, rotate the secret. */

import { isIP } from "node:net";
import { hashes } from "../../crypto/node-hashes.ts";
import { base64url } from "../../crypto/random.ts";
import {
  newWebhookSecret,
  openWebhookSecret,
  sealWebhookSecret,
  webhookFingerprint,
} from "../../crypto/webhook-secrets.ts";
import { eventKinds } from "../../events/kinds.ts";
import type { Millis } from "../../oauth/model.ts";
import { isPublicAddress } from "../../outbound/public-address.ts";
import { isLoopbackHost } from "../../setting-kinds.ts";
import { partitionOf } from "../../storage/partition.ts";
import type { StoredWebhook } from "../../webhooks/storage.ts";
import { MAX_WEBHOOKS, type Webhook, type WebhookSecret } from "../../webhooks/webhook.ts";
import { type Remark, refuse, refuseAny } from "../admin-error.ts";
import type { AdminContext } from "../context.ts";
import { type Precondition, untilStored } from "../precondition.ts";

export type { Webhook } from "../../webhooks/webhook.ts";

export const MAX_WEBHOOK_URL = 2048;
export const MAX_WEBHOOK_DESCRIPTION = 200;
export const MAX_WEBHOOK_KINDS = 100;
/** How long the previous secret signs, too, after a rotation. */
export const DEFAULT_WEBHOOK_OVERLAP: Millis = 86_400_000;
export const MAX_WEBHOOK_OVERLAP: Millis = 7 * 86_400_000;
/** Number of secrets that sign at the same time. */
const MAX_SECRETS = 3;

export interface WebhookSettings {
  readonly url: string;
  readonly description: string;
  /** Names of kinds, `group.*`, or `*`. */
  readonly kinds: readonly string[];
  readonly clientId: string | null;
  readonly subject: string | null;
}
/** `secret`: one that the operator chose. Absent: a random one. */
export type NewWebhook = Pick<WebhookSettings, "url" | "kinds"> &
  Partial<WebhookSettings> & { readonly secret?: string };
export type WebhookChanges = Partial<WebhookSettings> & { readonly status?: Webhook["status"] };

export interface WebhookWithSecret {
  readonly webhook: Webhook;
  readonly secret: string;
  readonly remarks: readonly Remark[];
}

/** Throws `invalid` with all problems, or `conflict` if there are too many. */
export async function createWebhook(
  { secret: chosen, ...input }: NewWebhook,
  context: AdminContext,
): Promise<WebhookWithSecret> {
  const id = newWebhookId(context);
  const { secret, stored } = aSecret(id, context, chosen);
  const webhook = canonical({
    ...{ id, description: "", clientId: null, subject: null },
    ...input,
    ...{ status: "active", secrets: [stored], createdAt: context.now() },
  });
  refuseAny([...(await problemsOf(webhook, context)), ...secretProblems(chosen)]);
  await put({ webhook, create: true, told: "webhook.created" }, context);
  return { webhook, secret, remarks: remarksOf(webhook) };
}

/** In the order of their creation. */
export function allWebhooks({ storage }: AdminContext): Promise<readonly StoredWebhook[]> {
  return storage.webhooks.list();
}

/** Throws `unknown`. */
export async function webhookOf(id: string, { storage }: AdminContext): Promise<StoredWebhook> {
  return (await storage.webhooks.list()).find(({ webhook }) => webhook.id === id) ?? unknownWebhook(id);
}

/** Also counts failures anew. Throws `unknown`, or `invalid` with all problems. */
export function updateWebhook(
  id: string,
  changes: WebhookChanges,
  context: AdminContext,
  check: Precondition<Webhook> = () => undefined,
): Promise<{ readonly webhook: Webhook; readonly remarks: readonly Remark[] }> {
  return untilStored(async () => {
    const { webhook: before } = await webhookOf(id, context);
    check(before);
    const webhook = canonical({ ...before, ...changes });
    refuseAny(await problemsOf(webhook, context));
    const stored = await put({ webhook, create: false, expected: before, told: "webhook.updated" }, context);
    return stored ? { webhook, remarks: remarksOf(webhook) } : undefined;
  });
}

/**
 * Gives the webhook a new secret. The previous ones sign for `overlap` more, so that a receiver with one of them can check
 * every message. Throws `unknown`, `invalid`.
 */
export async function rotateWebhookSecret(
  id: string,
  overlap: Millis,
  context: AdminContext,
  chosen?: string,
): Promise<{ readonly webhook: Webhook; readonly secret: string }> {
  if (overlap < 0 || overlap > MAX_WEBHOOK_OVERLAP) {
    refuse("invalid", "overlap", `must be 0 to ${MAX_WEBHOOK_OVERLAP / 1000} seconds (7 days)`);
  }
  refuseAny(secretProblems(chosen));
  return untilStored(async () => {
    const { webhook: before } = await webhookOf(id, context);
    const now = context.now();
    const { secret, stored } = aSecret(id, context, chosen);
    const end = now + overlap;
    const previous = before.secrets
      .map((one) => ({ ...one, until: Math.min(one.until ?? end, end) }))
      .filter(({ until }) => until > now);
    const webhook = { ...before, secrets: [stored, ...previous].slice(0, MAX_SECRETS) };
    const done = await put({ webhook, create: false, expected: before, told: "webhook.secret_rotated" }, context);
    return done ? { webhook, secret } : undefined;
  });
}

/** With its deliveries. Throws `unknown`. */
export async function deleteWebhook(id: string, { storage }: AdminContext): Promise<void> {
  if (!(await storage.webhooks.delete({ id }))) unknownWebhook(id);
}

/** Sends an event to this webhook alone. Throws `unknown`, or `conflict` if it is disabled. */
export async function testWebhook(id: string, context: AdminContext): Promise<void> {
  refuseDisabled((await webhookOf(id, context)).webhook);
  if (!(await context.storage.webhooks.test({ id }))) unknownWebhook(id);
}

export function refuseDisabled({ id, status }: Webhook): void {
  if (status === "active") return;
  refuse("conflict", "id", `the webhook is disabled: first run assent webhook update ${id} --status active`);
}

function unknownWebhook(id: string): never {
  return refuse("unknown", "id", `there is no webhook ${JSON.stringify(id.slice(0, 100))}`);
}

/** A random id that command lines don't take for an option. */
function newWebhookId({ randomBytes }: AdminContext): string {
  for (;;) {
    const id = base64url(randomBytes(16));
    if (/^[A-Za-z0-9]/.test(id)) return id;
  }
}

/** True: the newest secret is this one. */
export function hasCurrentWebhookSecret(
  { id, secrets: [newest] }: Webhook,
  secret: string,
  { secrets }: Pick<AdminContext, "secrets">,
): boolean {
  const opened = newest && secrets && openWebhookSecret(secrets(), id, newest.sealed);
  return typeof opened === "string" && hashes.equal(hashes.sha256(opened), hashes.sha256(secret));
}

/** The text is a secret, so the problem doesn't repeat it. Standard Webhooks: 24 to 64 bytes. */
function secretProblems(chosen: string | undefined): readonly Remark[] {
  if (chosen === undefined) return [];
  const text = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(chosen)?.[1] ?? "";
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") === text && bytes.length >= 24 && bytes.length <= 64 && new Set(bytes).size >= 10)
    return [];
  const problem =
    'must be whsec_ and 24 to 64 random bytes in base64: echo "whsec_$(openssl rand -base64 32)" makes one';
  return [{ field: "secret", problem }];
}

function aSecret(id: string, { secrets, randomBytes, now }: AdminContext, chosen?: string) {
  const sealing = secrets?.() ?? refuse("conflict", null, "there is no key to encrypt the secret with");
  const secret = chosen ?? newWebhookSecret(randomBytes);
  const sealed = sealWebhookSecret(sealing, id, secret);
  const stored: WebhookSecret = { sealed, fingerprint: webhookFingerprint(secret), createdAt: now(), until: null };
  return { secret, stored };
}

async function put(
  args: Omit<Parameters<AdminContext["storage"]["webhooks"]["put"]>[0], "most">,
  { storage }: AdminContext,
): Promise<boolean> {
  switch (await storage.webhooks.put({ ...args, most: MAX_WEBHOOKS })) {
    case "stored":
      return true;
    case "conflict":
      return false;
    case "unknown":
      return unknownWebhook(args.webhook.id);
    case "full":
      return refuse("conflict", null, `there are ${MAX_WEBHOOKS} webhooks already`);
  }
}

function canonical(webhook: Webhook): Webhook {
  const { url, kinds } = webhook;
  return { ...webhook, url: URL.canParse(url) ? new URL(url).href : url, kinds: [...new Set(kinds)] };
}

async function problemsOf(
  { url, description, kinds, clientId, subject }: Webhook,
  { storage }: AdminContext,
): Promise<readonly Remark[]> {
  const problems: Remark[] = [];
  const urlFault = urlProblem(url);
  if (urlFault !== undefined) problems.push({ field: "url", problem: urlFault });
  if (description.length > MAX_WEBHOOK_DESCRIPTION || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(description)) {
    problems.push({
      field: "description",
      problem: `must be one line of at most ${MAX_WEBHOOK_DESCRIPTION} characters`,
    });
  }
  if (kinds.length === 0 || kinds.length > MAX_WEBHOOK_KINDS) {
    problems.push({ field: "kinds", problem: `must be 1 to ${MAX_WEBHOOK_KINDS} kinds; * means all` });
  }
  const strange = kinds.find((kind) => !isKindFilter(kind));
  if (strange !== undefined) {
    const problem = `there is no kind ${JSON.stringify(strange.slice(0, 100))}: use a kind of the catalogue, a group such as consent.*, or *`;
    problems.push({ field: "kinds", problem });
  }
  if (clientId !== null && (await storage.clients.get({ clientId })) === undefined) {
    problems.push({ field: "client_id", problem: `there is no client ${JSON.stringify(clientId.slice(0, 100))}` });
  }
  if (subject !== null && partitionOf(subject) === -1) {
    problems.push({ field: "subject", problem: "must be the id of a person or a company" });
  }
  return problems;
}

function isKindFilter(kind: string): boolean {
  if (kind === "*") return true;
  if (!kind.endsWith(".*")) return Object.hasOwn(eventKinds, kind);
  return Object.keys(eventKinds).some((name) => name.startsWith(kind.slice(0, -1)));
}

function urlProblem(url: string): string | undefined {
  if (url.length > MAX_WEBHOOK_URL || !URL.canParse(url)) return "must be an https URL";
  const { protocol, hostname, username, password, hash } = new URL(url);
  if (protocol !== "https:" && !(protocol === "http:" && isLoopbackHost(hostname))) {
    return "must be an https URL: http is only for a receiver on this machine";
  }
  if (username !== "" || password !== "") return "must not have a user or a password: check the signature instead";
  return hash === "" ? undefined : "must not have a fragment";
}

/** The configuration of the server that sends decides. */
function remarksOf({ url }: Webhook): readonly Remark[] {
  const { hostname } = new URL(url);
  const literal = hostname.replace(/^\[|\]$/g, "");
  const isPublic = isIP(literal) === 0 ? !isLoopbackHost(hostname) : isPublicAddress(literal);
  if (isPublic) return [];
  const problem = `${literal} is not a public address: the server sends nothing there unless ASSENT_OUTBOUND_ALLOW names its network`;
  return [{ field: "url", problem }];
}
