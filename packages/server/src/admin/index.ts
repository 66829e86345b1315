/**
 * `@assent/server/admin`: the operator's use-cases without a terminal or HTTP, for the command, the console and the
 * admin API.
 */

export { type Config, ConfigError, loadConfig } from "../config.ts";
export type { ReceiptClaims, ReceiptFault, VerifiedReceipt } from "../crypto/signed-receipts.ts";
export { MAX_JWKS_BYTES, MAX_SCOPES } from "../oauth/client-registration/metadata.ts";
export type { Client, Connection, TokenExchangePolicy, WorkloadIdentity } from "../oauth/model.ts";
export { type ExchangeObstacle, exchangeObstacles } from "../owners/company-connections.ts";
export type { Company } from "../owners/company-storage.ts";
export type { Person } from "../owners/storage.ts";
export type { Ended } from "../storage/end-all-after-restore.ts";
export { DatabaseNotReady, SchemaMismatch, StorageUnavailable, UnsafeFileMode } from "../storage/errors.ts";
export type { Inventory } from "../storage/record-counts.ts";
export { AdminError, type AdminErrorKind, type Remark } from "./admin-error.ts";
export { allowLogin } from "./api-access/command-client.ts";
export * from "./api-access/tokens.ts";
export { backupDatabase, beginEpoch, inventoryOfBackup, refuseRestore, restoreDatabase } from "./backup.ts";
export * from "./change-notes.ts";
export { LOGO_SIZE, MAX_LOGO_BYTES, renderLogo } from "./client-logo.ts";
export * from "./clients.ts";
export * from "./companies.ts";
export * from "./company-sign-in.ts";
export * from "./consents.ts";
export { type AdminContext, adminOf, byCommand, missingDatabase, type OpenedAdmin, openAdmin } from "./context.ts";
export { firstNames } from "./counted.ts";
export { type DatabaseStatus, databaseStatus, migrateDatabase, migrationPlan } from "./database.ts";
export * from "./deletion-impact.ts";
export { listClients, listCompanies, listUsers, type Place } from "./directory.ts";
export type { Diagnosis } from "./doctor.ts";
export type { Finding } from "./doctor-finding.ts";
export { effectiveSettings } from "./effective-settings.ts";
export * from "./events.ts";
export { checkImport, exportToFile, importFromFile, replaceFromFile } from "./export-and-import.ts";
export * from "./identities.ts";
export * from "./impact-records.ts";
export { metadataUrl } from "./issuer-metadata-url.ts";
export * from "./keys.ts";
export { type ClientList, droppedValues, type ListChange, type ListChanges } from "./multi-valued-client-fields.ts";
export * from "./output-records.ts";
export * from "./people.ts";
export * from "./refusals/index.ts";
export * from "./registration-tokens.ts";
export * from "./scopes-and-resources.ts";
export * from "./sign-in-providers.ts";
export { MOST_SIMILAR, namesClient, type SimilarClient, similarClients, similarText } from "./similar-client-names.ts";
export * from "./subject-links.ts";
export {
  type ConnectionRecord,
  connectionOf,
  connectionRecord,
  EXCHANGED_KINDS,
  exchangeRemarks,
  NO_EXCHANGE,
} from "./token-exchange-policy.ts";
export * from "./trusted-issuers.ts";
export * from "./user-import.ts";
export { MAX_PICTURE_BYTES, setUserPicture } from "./user-picture.ts";
export * from "./webhooks/index.ts";

/** Loads `logo-of-reviewed-client.ts` and its imports on demand. */
export const takeLogo: typeof import("./logo-of-reviewed-client.ts").takeLogo = async (...args) =>
  (await import("./logo-of-reviewed-client.ts")).takeLogo(...args);

/** Loads `doctor.ts` and its imports on demand. */
export const diagnose: typeof import("./doctor.ts").diagnose = async (...args) =>
  (await import("./doctor.ts")).diagnose(...args);
