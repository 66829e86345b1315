/** APIs in a configuration. Their key is the identifier. */

import { hasIntrospectionSecret } from "../../admin/client-secrets.ts";
import { resourceRecord } from "../../admin/output-records.ts";
import { DEFAULT_ALG } from "../../crypto/signing-keys.ts";
import type { Resource } from "../../oauth/model.ts";
import { entrySchema, type Fields, type Kind, present } from "../kind.ts";
import { bodyOf } from "../run-operations.ts";

const defaults = (): Fields => ({
  ...{ name: "", token_format: "jwt", token_lifetime: null, alg: DEFAULT_ALG },
  ...{ grant_bound: false, userinfo: true, default_scope: "" },
});

const SECRET = "introspection_client_secret";

export const resources: Kind = {
  section: "resources",
  noun: "API",
  keyed: "identifier",
  schema: entrySchema(bodyOf("resources.create"), ["identifier"]),
  ...{ secrets: [SECRET], documents: [], fixed: [] },
  defaults,
  async find(wanted, _marks, { storage }) {
    const all = await storage.resources.list();
    return all
      .filter(({ identifier }) => wanted === null || wanted.labels.includes(identifier))
      .map((resource) => ({
        label: resource.identifier,
        recordId: resource.identifier,
        fields: present(resourceRecord(resource), defaults()),
        record: resource,
      }));
  },
  hasSecret: ({ record }, _field, secret) => hasIntrospectionSecret(record as Resource, secret),
  secretsOf: () => [SECRET],
  async create({ label, fields, secrets }, operator) {
    await operator.run("resources.create", {}, { ...fields, ...secrets, identifier: label });
    return label;
  },
  async update({ label, record }, changes, { secrets }, operator) {
    const secret = secrets[SECRET];
    const isNew = secret !== undefined && !hasIntrospectionSecret(record as Resource, secret);
    await operator.run("resources.update", { identifier: label }, isNew ? { ...changes, ...secrets } : changes);
  },
  async remove({ label }, operator) {
    await operator.run("resources.delete", { identifier: label });
  },
};
