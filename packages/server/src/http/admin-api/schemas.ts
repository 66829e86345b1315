/** Small schemas from which the bodies and records of the admin API are made. */

import { type TProperties, type TSchema, Type } from "typebox";
import type { Remark } from "../../admin/admin-error.ts";

export const text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description === undefined ? {} : { description }) });

/** A value that null removes. */
export const orNull = <S extends TSchema>(schema: S, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

export const texts = (maxItems: number, maxLength: number, description?: string) =>
  Type.Array(Type.String({ maxLength }), { maxItems, ...(description === undefined ? {} : { description }) });

export const oneOf = <const V extends string>(values: readonly V[], description?: string) =>
  Type.Unsafe<V>({ type: "string", enum: [...values], ...(description === undefined ? {} : { description }) });

/** Names of scopes, separated by spaces. */
export const scopeText = (description?: string) => text(26_000, description);

/** RFC 3339, in UTC. */
export const time = Type.String({ format: "date-time" });

export const ids = Type.String({ maxLength: 200 });

/** A body: only these fields. `examples`: for readers of the document, and for tools that make requests from it. */
export const body = <P extends TProperties>(properties: P, ...examples: readonly object[]) =>
  Type.Object(properties, { additionalProperties: false, ...(examples.length === 0 ? {} : { examples }) });

/** A record of an answer. */
export const record = <P extends TProperties>(properties: P) => Type.Object(properties);

/** A body with texts in other languages: `field#de`. */
export const translated = <P extends TProperties>(field: string, properties: P, ...examples: readonly object[]) =>
  Type.Object(properties, {
    additionalProperties: false,
    patternProperties: { [`^${field}#[A-Za-z0-9-]{1,35}$`]: { type: ["string", "null"], maxLength: 500 } },
    ...(examples.length === 0 ? {} : { examples }),
  });

/** A record with texts in other languages. */
export const translatedRecord = <P extends TProperties>(field: string, properties: P) =>
  Type.Object(properties, { patternProperties: { [`^${field}#[A-Za-z0-9-]{1,35}$`]: { type: "string" } } });

/** The translations in a body, by language. */
export function translationsIn(field: string, given: object): Readonly<Record<string, string>> | undefined {
  const found = Object.entries(given).filter(([name]) => name.startsWith(`${field}#`));
  if (found.length === 0) return undefined;
  return Object.fromEntries(
    found.map(([name, value]) => [name.slice(field.length + 1).toLowerCase(), value === null ? "" : String(value)]),
  );
}

/** The members whose value is not undefined. */
export function given<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}

/** A list in the form of RFC 6749 §3.3. */
export function words(value: string | null | undefined): readonly string[] | undefined {
  return value === undefined ? undefined : (value ?? "").split(" ").filter((word) => word !== "");
}

/** What the operator should look at again after a change that was made. */
export function remarksIn(remarks: readonly Remark[]): { readonly warnings?: readonly Remark[] } {
  return remarks.length === 0 ? {} : { warnings: remarks.map(({ field, problem }) => ({ field, problem })) };
}

/** Beside a record that was changed. */
export const withNotes = {
  notes: Type.Optional(texts(100, 2_500, "what the change means for access that exists")),
};

export function notesIn(notes: readonly string[]): { readonly notes?: readonly string[] } {
  return notes.length === 0 ? {} : { notes };
}
