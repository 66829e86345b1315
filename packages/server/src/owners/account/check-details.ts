/** Which details of a person are accepted, in which form (OpenID Connect Core §§5.1, 5.1.1). */

import type { DetailName, Millis, PersonDetails } from "../../oauth/model.ts";
import { displayTextProblem } from "../../oauth/names/display-name.ts";

/** Maximum number of characters. */
const LONGEST: Readonly<Record<DetailName, number>> = {
  givenName: 120,
  middleName: 120,
  familyName: 120,
  nickname: 120,
  birthdate: 10,
  gender: 40,
  zoneinfo: 64,
  locale: 35,
  website: 500,
  profileUrl: 500,
  phoneNumber: 40,
  street: 250,
  locality: 120,
  region: 120,
  postalCode: 20,
  country: 120,
};

/** Details that are not names but have a grammar. Undefined: the text is wrong. */
const FORMS: Readonly<Partial<Record<DetailName, (text: string, now: Millis) => string | undefined>>> = {
  birthdate: pastDate,
  zoneinfo: timeZone,
  locale: languageTag,
  phoneNumber,
};

/** The detail as it is stored, or null if it is empty. Undefined: it can't be stored. `stands`: the present details. */
export function readDetail(
  name: DetailName,
  typed: string,
  stands: PersonDetails | null,
  now: Millis,
): string | null | undefined {
  const text = typed.trim().normalize("NFC");
  if (text === "") return null;
  if (name === "website" || name === "profileUrl") return webAddress(text, LONGEST[name]);
  if (displayTextProblem(text, LONGEST[name], stands?.[name]) !== undefined) return undefined;
  const form = FORMS[name];
  return form === undefined ? text : form(text, now);
}

/** A day from 1800 to today. */
function pastDate(text: string, now: Millis): string | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const at = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text) return undefined;
  // Where the sun rises first, it is tomorrow already.
  return text >= "1800" && at <= now + 14 * 3_600_000 ? text : undefined;
}

/** A time zone by its name. Offsets such as +01:00 are not names. */
function timeZone(text: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(text)) return undefined;
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return text;
  } catch {
    return undefined;
  }
}

function languageTag(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}

/**
 * An absolute http or https URL in ASCII: international names in Punycode, other letters percent-encoded. Apps link to
 * it, so it can't be `javascript:`, and no user name in it passes for the host (RFC 3986 §7.6).
 */
function webAddress(text: string, most: number): string | undefined {
  // The parser accepts missing and additional slashes, takes backslashes for slashes, and drops line breaks.
  if (text.length > most || !/^https?:\/\/[^/]/i.test(text) || /[\s\p{Cc}\\]/u.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || url.href.length > most) return undefined;
  return url.href;
}

/** E.164, without the separators that people type. */
function phoneNumber(text: string): string | undefined {
  const digits = text.replaceAll(/[\s()./-]/g, "");
  return /^\+[1-9]\d{6,14}$/.test(digits) ? digits : undefined;
}
