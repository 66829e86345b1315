/** Webhooks in a configuration. Their key is a name that the file chooses. */

import { webhookSettingsRecord } from "../../admin/webhooks/records.ts";
import { allWebhooks, hasCurrentWebhookSecret, type Webhook } from "../../admin/webhooks/webhooks.ts";
import { entrySchema, type Fields, type Kind, type Present, present, status } from "../kind.ts";
import { bodyOf } from "../run-operations.ts";

const SECRET = "secret";

const defaults = (): Fields => ({
  ...{ url: "", kinds: [], description: "", client_id: null, subject: null, status: "active" },
});

/** As the server stores it. */
function canonical({ url, ...fields }: Fields): Fields {
  return { ...fields, url: typeof url === "string" && URL.canParse(url) ? new URL(url).href : url };
}

function presentOf(webhook: Webhook, label: string): Present {
  return { label, recordId: webhook.id, fields: present(webhookSettingsRecord(webhook), defaults()), record: webhook };
}

/** Of a webhook that no file describes. */
function slugOf({ id, url }: Webhook): string {
  return `${new URL(url).hostname.replaceAll(/[^a-z0-9]+/g, "-").slice(0, 40)}-${id.slice(0, 4).toLowerCase()}`;
}

export const webhooks: Kind = {
  section: "webhooks",
  noun: "webhook",
  keyed: "a name of your choice",
  schema: entrySchema(bodyOf("webhooks.create"), [], { status }),
  ...{ secrets: [SECRET], documents: [], fixed: [] },
  defaults,
  canonical,
  async find(wanted, marks, context) {
    const all = (await allWebhooks(context)).map(({ webhook }) => {
      const marked = marks.find(({ recordId }) => recordId === webhook.id)?.label;
      // Several can send to one address.
      const [same, other] = (wanted?.entries ?? []).filter(({ fields }) => canonical(fields)["url"] === webhook.url);
      return presentOf(webhook, marked ?? (other === undefined ? same?.label : undefined) ?? slugOf(webhook));
    });
    return all.filter(({ label }) => wanted === null || wanted.labels.includes(label));
  },
  hasSecret: ({ record }, _field, secret, context) => hasCurrentWebhookSecret(record as Webhook, secret, context),
  secretsOf: () => [SECRET],
  async create({ fields, secrets }, operator) {
    const { status: asked, ...given } = fields;
    const { id } = await operator.run("webhooks.create", {}, { ...given, ...secrets });
    if (asked === "disabled") await operator.run("webhooks.update", { id: String(id) }, { status: asked });
    return String(id);
  },
  async update({ recordId: id, record }, changes, { secrets }, operator) {
    if (Object.keys(changes).length > 0) await operator.run("webhooks.update", { id }, changes);
    const secret = secrets[SECRET];
    if (secret !== undefined && !hasCurrentWebhookSecret(record as Webhook, secret, operator.context))
      await operator.run("webhooks.rotate-secret", { id }, { [SECRET]: secret });
  },
  async remove({ recordId: id }, operator) {
    await operator.run("webhooks.delete", { id });
  },
};
