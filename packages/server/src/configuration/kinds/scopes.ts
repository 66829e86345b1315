/** Scopes in a configuration. Their key is the name. */

import { impactOfScope } from "../../admin/deletion-impact.ts";
import { scopeRecord } from "../../admin/output-records.ts";
import { isBuiltInScope } from "../../admin/scopes-and-resources.ts";
import { entrySchema, type Fields, type Kind, present } from "../kind.ts";
import { bodyOf } from "../run-operations.ts";

const defaults = (): Fields => ({
  ...{ description: "", resource: null, optional: false, sensitive: false },
  ...{ access: null, owner_role: null, acr: null, max_age: null },
});

export const scopes: Kind = {
  section: "scopes",
  noun: "scope",
  keyed: "name",
  schema: entrySchema(bodyOf("scopes.create"), ["name", "reuse"]),
  ...{ secrets: [], documents: [], fixed: [] },
  defaults,
  async find(wanted, _marks, { storage }) {
    const all = await storage.scopes.list();
    return all
      .filter(({ name }) => wanted === null || wanted.labels.includes(name))
      .map((scope) => ({
        label: scope.name,
        recordId: scope.name,
        fields: present(scopeRecord(scope), defaults(), (name) => name.startsWith("description#")),
        record: scope,
      }));
  },
  async create({ label, fields }, operator) {
    await operator.run("scopes.create", {}, { ...fields, name: label });
    return label;
  },
  async update({ label }, changes, _entry, operator) {
    await operator.run("scopes.update", { name: label }, changes);
  },
  async remove({ label }, operator) {
    await operator.run("scopes.delete", { name: label });
  },
  ends: async ({ label }, _how, context) => ({
    uses_in_clients: isBuiltInScope(label) ? 0 : (await impactOfScope(label, context)).clients.length,
  }),
};
