/** Operators learn by mail that the server has disabled a webhook. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminApi, adminApi } from "../support/admin-api.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { startServer, type TestServer } from "../support/test-server.ts";
import { aWebhookReceiver, status, type WebhookReceiver } from "../support/webhook-receiver.ts";

let server: TestServer;
let mailbox: TestMailbox;
let receiver: WebhookReceiver;
let api: AdminApi;
beforeAll(async () => {
  mailbox = await startMailbox();
  receiver = await aWebhookReceiver();
  server = await startServer({ fetchFromLoopback: true, config: { smtpUrl: smtpTo(mailbox) } });
  api = await adminApi(server);
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
  receiver.stop();
});

test("a receiver wants no more events → one message to each admin with a proved address, which names the webhook and the command; enabled and refused again → another one", async () => {
  const admin = await server.addPerson({ operator: ["admin"], language: "de" });
  const other = await server.addPerson({ operator: ["admin"] });
  const silent = await Promise.all([
    server.addPerson({ operator: ["read", "clients"] }),
    server.addPerson({ operator: ["admin"], emailVerifiedAt: null }),
    server.addPerson({ operator: ["admin"], status: "disabled" }),
    server.addPerson(),
  ]);
  receiver.answer(status(410));
  const url = `${receiver.url}?key=a-secret-of-the-receiver`;
  const made = await api.post("/webhooks", { url, kinds: ["scope.created"] });
  const id = String(made.body?.["id"]);
  const happens = (name: string) => api.post("/scopes", { name, description: "Something", resource: null });
  await happens("first");
  const message = await mailbox.next(other.email);
  expect(message.subject).toBe(`The webhook ${new URL(url).host} is disabled`);
  const text = message.text?.replaceAll(/\s+/g, " ") ?? "";
  for (const part of [id, "Fault of the receiver: status 410", `assent webhook update ${id} --status active`])
    expect(text).toContain(part);
  expect(message.raw).not.toContain("a-secret-of-the-receiver");
  expect(message.html).not.toContain("<a ");
  expect((await mailbox.next(admin.email)).subject).toContain("ist abgeschaltet");

  // Events that wait for a disabled webhook lead to no second message.
  await happens("second");
  expect((await api.patch(`/webhooks/${id}`, { status: "active" })).status).toBe(200);
  await happens("third");
  await mailbox.next(other.email);
  await mailbox.next(admin.email);
  expect(mailbox.messages.filter(({ text: all }) => all?.includes(id))).toHaveLength(4);
  for (const { email } of silent) expect(mailbox.to(email)).toEqual([]);
});
