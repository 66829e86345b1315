/** Chooses the language of a page: by the authorization request, by the reader's choice, by the browser's header. */

import type { Millis } from "../oauth/model.ts";
import { locales, spoken } from "../pages/index.ts";

/** The hints about the language, from the strongest to the weakest. */
export interface LanguageHints {
  /** `ui_locales` of the authorization request: BCP 47 tags, best first; null: none. */
  readonly uiLocales: string | null;
  /** When that request began. A language that was chosen later has precedence. */
  readonly startedAt: Millis;
  /** The value of this server's cookie: the language and the time of the choice. */
  readonly chosen: string | undefined;
  readonly acceptLanguage: string | undefined;
}

/** Maximum number of tags that are read from one header. */
const TAGS_READ = 20;

/** One of `locales`. English if none of the hints is available. */
export function languageOf({ uiLocales, startedAt, chosen, acceptLanguage }: LanguageHints): string {
  const choice = readChoice(chosen);
  if (choice !== undefined && choice.at >= startedAt) return choice.language;
  const asked = firstSpoken(uiLocales?.split(" ").slice(0, TAGS_READ) ?? []);
  return asked ?? choice?.language ?? firstSpoken(preferred(acceptLanguage ?? "")) ?? "en";
}

function firstSpoken(tags: readonly string[]): string | undefined {
  return tags.map(spoken).find((one) => one !== undefined);
}

/** The tags of an Accept-Language header (RFC 9110 §12.5.4), best first; equal ones in their order. */
function preferred(header: string): readonly string[] {
  return header
    .split(",", TAGS_READ)
    .map((one) => /^\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/.exec(one))
    .map((found) => ({ tag: found?.[1] ?? "", weight: Number(found?.[2] ?? 1) }))
    .filter(({ tag, weight }) => tag !== "" && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
}

/** The cookie's value for a choice that is made now. */
export function writeChoice(language: string, now: Millis): string {
  return `${language}.${now.toString(36)}`;
}

function readChoice(value: string | undefined): { readonly language: string; readonly at: Millis } | undefined {
  const [, language = "", at = ""] = /^([a-z-]{2,12})\.([0-9a-z]{1,10})$/.exec(value ?? "") ?? [];
  return locales.includes(language) ? { language, at: Number.parseInt(at, 36) } : undefined;
}
