/** What people can add to their profile. */

import type { DetailName } from "../oauth/model.ts";

/** In the order of the profile page. */
export const DETAIL_NAMES: readonly DetailName[] = [
  "givenName",
  "middleName",
  "familyName",
  "nickname",
  "birthdate",
  "gender",
  "locale",
  "zoneinfo",
  "website",
  "profileUrl",
  "phoneNumber",
  "street",
  "postalCode",
  "locality",
  "region",
  "country",
];

/** The name of a detail in forms and records. */
export function wireName(detail: DetailName): string {
  return detail.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
