/** The OpenAPI document of the admin API as generators of clients read it. */

import { expect, test } from "vitest";
import { openApiDocument } from "../../src/http/admin-api/openapi.ts";
import { operations } from "../../src/http/admin-api/operations/index.ts";

const text = openApiDocument(operations, "https://login.test");
const { paths, components } = JSON.parse(text) as {
  readonly paths: Readonly<Record<string, Record<string, { operationId: string; responses: Record<string, object> }>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};
const operation = (id: string) =>
  Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === id);

test("each reference → leads to a schema; each schema → has a reference", () => {
  const referred = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect([...new Set(referred)].sort()).toEqual(Object.keys(components.schemas).sort());
});

test("a record of many operations → is written once, and named", () => {
  const once = Object.entries(components.schemas).filter(([, schema]) => text.split(JSON.stringify(schema)).length > 2);
  expect(once).toEqual([]);
  const user = { $ref: "#/components/schemas/User" };
  const content = (schema: object) => ({ content: { "application/json": { schema } } });
  expect(operation("users.show")?.responses["200"]).toMatchObject(content(user));
  expect(operation("users.list")?.responses["200"]).toMatchObject(content({ properties: { items: { items: user } } }));
});
