/** The built-in API of operators and its scopes, which every server has (RFC 6749 §3.3; RFC 8707 §2). */

import type { Resource, Scope } from "../../oauth/model.ts";

/** The groups of operations that a scope can be limited to. */
export const ADMIN_GROUPS = [
  ...(["clients", "users", "companies", "scopes", "resources", "issuers", "providers"] as const),
  ...(["consents", "sessions", "keys", "events", "webhooks", "settings", "refusals"] as const),
] as const;
export type AdminGroup = (typeof ADMIN_GROUPS)[number];
/** Groups in which nothing can be changed. They have no scope that writes. */
const READ_ONLY: ReadonlySet<AdminGroup> = new Set(["events", "settings", "refusals"]);
export type AdminAccess = "read" | "write";

/** Everything that an operator can do. */
export const ADMIN = "admin";

/** The client by which operators sign in with `assent login`. Only who has the scope `admin` can choose a client's id. */
export const COMMAND_CLIENT = "assent-cli";

export function adminScope(group: AdminGroup, access: AdminAccess): string {
  return `${ADMIN}:${group}:${access}`;
}

export function adminApiIdentifier(issuer: string): string {
  return `${issuer}/admin/api/v1`;
}

type Language = "en" | "de" | "fr" | "es" | "ja" | "ar";

const EVERYTHING: Readonly<Record<Language, string>> = {
  en: "Administer this server: everything that an operator can do",
  de: "Diesen Server verwalten: alles, was ein Betreiber tun kann",
  fr: "Administrer ce serveur : tout ce qu’un opérateur peut faire",
  es: "Administrar este servidor: todo lo que puede hacer un operador",
  ja: "このサーバーの管理（管理者ができるすべての操作）",
  ar: "إدارة هذا الخادم: كل ما يمكن للمشغّل فعله",
};

const SENTENCES: Readonly<Record<Language, Readonly<Record<AdminAccess, string>>>> = {
  en: { read: "See {what}", write: "See and change {what}" },
  de: { read: "{what} sehen", write: "{what} sehen und ändern" },
  fr: { read: "Voir {what}", write: "Voir et modifier {what}" },
  es: { read: "Ver {what}", write: "Ver y cambiar {what}" },
  ja: { read: "{what}の閲覧", write: "{what}の閲覧と変更" },
  ar: { read: "الاطلاع على {what}", write: "الاطلاع على {what} وتغييرها" },
};

type Nouns = Readonly<Record<AdminGroup, string>>;

const NOUNS: Readonly<Record<Language, Nouns>> = {
  en: {
    ...{ clients: "all apps", users: "all people", companies: "all companies", scopes: "all permissions" },
    ...{ resources: "all APIs", issuers: "trusted issuers", providers: "sign-in providers" },
    ...{ consents: "what owners allowed", sessions: "where people are signed in", keys: "signing keys" },
    ...{ events: "what happened on this server", webhooks: "which servers are told of events" },
    ...{ settings: "the server’s settings", refusals: "why requests were refused" },
  },
  de: {
    ...{ clients: "Alle Apps", users: "Alle Personen", companies: "Alle Firmen", scopes: "Alle Berechtigungen" },
    ...{ resources: "Alle APIs", issuers: "Vertraute Aussteller", providers: "Anbieter für die Anmeldung" },
    ...{ consents: "Alle Zustimmungen", sessions: "Alle Sitzungen", keys: "Signaturschlüssel" },
    ...{ events: "Ereignisse auf diesem Server", webhooks: "Server, die Ereignisse erfahren" },
    ...{ settings: "Einstellungen des Servers", refusals: "Gründe für Ablehnungen" },
  },
  fr: {
    ...{ clients: "toutes les applications", users: "toutes les personnes", companies: "toutes les entreprises" },
    ...{ scopes: "toutes les autorisations", resources: "toutes les API", issuers: "les émetteurs de confiance" },
    ...{ providers: "les fournisseurs de connexion", consents: "tous les consentements" },
    ...{ sessions: "toutes les sessions", keys: "les clés de signature", settings: "les réglages du serveur" },
    ...{ events: "les événements de ce serveur", webhooks: "les serveurs avertis des événements" },
    refusals: "les motifs des refus",
  },
  es: {
    ...{ clients: "todas las aplicaciones", users: "todas las cuentas", companies: "todas las empresas" },
    ...{ scopes: "todos los permisos", resources: "todas las API", issuers: "los emisores de confianza" },
    ...{ providers: "los proveedores de inicio de sesión", consents: "todos los consentimientos" },
    ...{ sessions: "todas las sesiones", keys: "las claves de firma", settings: "los ajustes del servidor" },
    ...{ events: "los eventos de este servidor", webhooks: "los servidores que reciben eventos" },
    refusals: "por qué se rechazaron las solicitudes",
  },
  ja: {
    ...{ clients: "すべてのアプリ", users: "すべてのユーザー", companies: "すべての会社", scopes: "すべての権限" },
    ...{ resources: "すべてのAPI", issuers: "信頼済みの発行者", providers: "サインインプロバイダー" },
    ...{ consents: "すべての同意", sessions: "すべてのセッション", keys: "署名鍵", settings: "サーバーの設定" },
    ...{ events: "サーバーのイベント", webhooks: "イベントの通知先" },
    refusals: "リクエストが拒否された理由",
  },
  ar: {
    ...{ clients: "جميع التطبيقات", users: "حسابات جميع الأشخاص", companies: "جميع الشركات" },
    ...{ scopes: "جميع الأذونات", resources: "جميع واجهات API", issuers: "جهات الإصدار الموثوقة" },
    ...{ providers: "خدمات تسجيل الدخول", consents: "جميع الموافقات", sessions: "جميع الجلسات" },
    ...{ keys: "مفاتيح التوقيع", settings: "إعدادات الخادم" },
    ...{ events: "أحداث الخادم", webhooks: "الخوادم التي تُبلَّغ بالأحداث" },
    refusals: "أسباب رفض الطلبات",
  },
};

/** The roles besides `admin` whose people may grant a scope to an app. `read` may grant every scope that reads. */
const WRITERS: Readonly<Partial<Record<AdminGroup, string>>> = {
  ...{ clients: "clients", users: "users", companies: "users", consents: "users", sessions: "users" },
};
const READERS: Readonly<Partial<Record<AdminGroup, string>>> = {
  ...{ ...WRITERS, scopes: "clients", resources: "clients", refusals: "clients" },
};

/** The kinds of access that scopes of this group give. */
export function accessesOf(group: AdminGroup): readonly AdminAccess[] {
  return READ_ONLY.has(group) ? ["read"] : ["read", "write"];
}

function aScope(name: string, access: AdminAccess, text: (language: Language) => string, roles: readonly string[]) {
  return (resource: string): Scope => ({
    name,
    description: text("en"),
    descriptions: Object.fromEntries((["de", "fr", "es", "ja", "ar"] as const).map((one) => [one, text(one)])),
    resource,
    optional: false,
    sensitive: true,
    access,
    ownerRole: "admin",
    alsoRoles: roles,
  });
}

const SCOPES = [
  aScope(ADMIN, "write", (language) => EVERYTHING[language], []),
  ...ADMIN_GROUPS.flatMap((group) =>
    accessesOf(group).map((access) => {
      const text = (language: Language) => SENTENCES[language][access].replace("{what}", NOUNS[language][group]);
      const role = access === "read" ? READERS[group] : WRITERS[group];
      const roles = [...(access === "read" ? ["read"] : []), ...(role === undefined ? [] : [role])];
      return aScope(adminScope(group, access), access, text, roles);
    }),
  ),
];

export function adminScopes(issuer: string): readonly Scope[] {
  return SCOPES.map((made) => made(adminApiIdentifier(issuer)));
}

const NAMES: ReadonlySet<string> = new Set(adminScopes("").map(({ name }) => name));

export function isAdminScope(name: string): boolean {
  return NAMES.has(name);
}

/**
 * Adds the scopes of operators. A scope that an operator created under such a name, before the server had these, stays,
 * unless it would be a scope of this API.
 */
export function withAdminScopes(scopes: readonly Scope[], issuer: string): readonly Scope[] {
  const kept = scopes.filter(({ resource }) => resource !== adminApiIdentifier(issuer));
  const own = new Set(kept.map(({ name }) => name));
  return [...kept, ...adminScopes(issuer).filter(({ name }) => !own.has(name))];
}

/** The API itself. Nobody introspects its tokens: no secret has an empty hash. */
export function adminResource(issuer: string): Resource {
  return {
    identifier: adminApiIdentifier(issuer),
    name: "Admin API",
    tokenFormat: "jwt",
    tokenLifetime: null,
    alg: "ES256",
    grantBound: true,
    userInfo: false,
    introspectionClientId: "rs_admin-api",
    introspectionSecretHash: "",
    createdAt: 0,
  };
}
