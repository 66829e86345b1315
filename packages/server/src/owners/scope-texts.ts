/** The descriptions of scopes for owners, in their language if there is a translation. */

import type { Scope } from "../oauth/model.ts";

export function descriptionOf({ description, descriptions }: Scope, language: string): string {
  return translated(descriptions, language) ?? description;
}

/** The description of each scope, by its name. */
export function textsOf(scopes: readonly Scope[], language: string): Readonly<Record<string, string>> {
  return Object.fromEntries(scopes.map((scope) => [scope.name, descriptionOf(scope, language)]));
}

export function translated(texts: Readonly<Record<string, string>> | undefined, language: string): string | undefined {
  return texts !== undefined && Object.hasOwn(texts, language) ? texts[language] : undefined;
}
