/** The scopes of OpenID Connect, which every server has (OpenID Connect Core §§3.1.2.1, 5.4). */

import type { Scope } from "../model.ts";

/** The scope that makes a request one of OpenID Connect: its answer has an ID token. */
export const OPENID = "openid";

/** The scope for refresh tokens (§11). Clients that don't ask for it get refresh tokens as RFC 6749 says. */
export const OFFLINE_ACCESS = "offline_access";

/** The languages of the pages (BCP 47). */
export const UI_LOCALES = ["en", "de", "fr", "es", "ja", "ar"] as const;

type Texts = Readonly<Record<(typeof UI_LOCALES)[number], string>>;

/** What the owner reads on the consent page. */
const TEXTS: Readonly<Record<"openid" | "profile" | "email" | "phone" | "address" | "offline_access", Texts>> = {
  openid: {
    en: "Sign you in",
    de: "Sie anmelden",
    fr: "Vous connecter",
    es: "Iniciar su sesión",
    ja: "あなたのサインイン",
    ar: "تسجيل دخولك",
  },
  profile: {
    en: "See your profile: names, username, picture, date of birth, gender, websites, language and time zone",
    de: "Ihr Profil sehen: Namen, Benutzername, Bild, Geburtsdatum, Geschlecht, Websites, Sprache und Zeitzone",
    fr: "Voir votre profil : noms, nom d’utilisateur, photo, date de naissance, genre, sites web, langue et fuseau horaire",
    es: "Ver su perfil: nombres, nombre de usuario, foto, fecha de nacimiento, género, sitios web, idioma y zona horaria",
    ja: "プロフィール（名前、ユーザー名、写真、生年月日、性別、ウェブサイト、言語、タイムゾーン）の閲覧",
    ar: "الاطلاع على ملفك الشخصي: الأسماء واسم المستخدم والصورة وتاريخ الميلاد والجنس والمواقع الإلكترونية واللغة والمنطقة الزمنية",
  },
  email: {
    en: "See your e-mail address",
    de: "Ihre E-Mail-Adresse sehen",
    fr: "Voir votre adresse e-mail",
    es: "Ver su correo electrónico",
    ja: "メールアドレスの閲覧",
    ar: "الاطلاع على عنوان بريدك الإلكتروني",
  },
  phone: {
    en: "See your phone number",
    de: "Ihre Telefonnummer sehen",
    fr: "Voir votre numéro de téléphone",
    es: "Ver su número de teléfono",
    ja: "電話番号の閲覧",
    ar: "الاطلاع على رقم هاتفك",
  },
  address: {
    en: "See your postal address",
    de: "Ihre Postanschrift sehen",
    fr: "Voir votre adresse postale",
    es: "Ver su dirección postal",
    ja: "住所の閲覧",
    ar: "الاطلاع على عنوانك البريدي",
  },
  offline_access: {
    en: "Keep access while you’re away",
    de: "Zugriff behalten, während Sie nicht da sind",
    fr: "Conserver l’accès en votre absence",
    es: "Mantener el acceso en su ausencia",
    ja: "不在時のアクセスの継続",
    ar: "الاحتفاظ بالوصول أثناء غيابك",
  },
};

/** The claims of a person that each scope gives (§5.4), in the order of the answer. */
export const CLAIMS_OF_SCOPE: Readonly<Record<string, readonly string[]>> = {
  profile: [
    ...[
      "name",
      "given_name",
      "family_name",
      "middle_name",
      "nickname",
      "preferred_username",
      "profile",
      "picture",
      "website",
      "gender",
      "birthdate",
      "zoneinfo",
      "locale",
    ],
    "updated_at",
  ],
  email: ["email", "email_verified"],
  phone: ["phone_number", "phone_number_verified"],
  address: ["address"],
};

/** The built-in scopes. An operator's scope of the same name, without an API, replaces the texts. */
export const openIdScopes: readonly Scope[] = Object.entries(TEXTS).map(([name, { en, ...others }]) => ({
  name,
  description: en,
  descriptions: others,
  resource: null,
  // An app works without refresh tokens, so the owner may decline them alone.
  optional: name === OFFLINE_ACCESS,
  sensitive: false,
  // These two are about the sign-in and about time, not about data. `openid` comes first in its group.
  access: name === OPENID || name === OFFLINE_ACCESS ? null : "read",
  ownerRole: null,
}));

const NAMES: ReadonlySet<string> = new Set(openIdScopes.map(({ name }) => name));

/** The operator's scopes and the built-in ones. `customClaims`: of the configuration. */
export function withOpenIdScopes(
  scopes: readonly Scope[],
  customClaims: readonly { readonly scope: string }[] = [],
): readonly Scope[] {
  const own = new Set(scopes.map(({ name }) => name));
  const claimed = new Set(customClaims.map(({ scope }) => scope));
  const marked = scopes.map((scope) => (claimed.has(scope.name) ? { ...scope, givesClaims: true } : scope));
  return [...marked, ...openIdScopes.filter(({ name }) => !own.has(name))];
}

/** True: the scope is about the person who signs in, so it goes with any API. */
export function isOpenIdScope({
  name,
  resource,
  givesClaims = false,
}: Pick<Scope, "name" | "resource" | "givesClaims">): boolean {
  return resource === null && (givesClaims || NAMES.has(name));
}

/**
 * §11: true unless the owner was asked for `offline_access` and did not allow it. `asked`, `granted`: names of scopes.
 */
export function allowsOffline(asked: readonly string[], granted: readonly string[]): boolean {
  return granted.includes(OFFLINE_ACCESS) || !asked.includes(OFFLINE_ACCESS);
}

/** True: the scopes make a request one of OpenID Connect. An operator's scope `openid` of an API does not. */
export function isOpenIdRequest(scopes: readonly Pick<Scope, "name" | "resource">[]): boolean {
  return scopes.some((scope) => scope.name === OPENID && isOpenIdScope(scope));
}
