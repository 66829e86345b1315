/** All migrations, in order. To add one, add a file and a line here. */

import { first } from "./0001-first.ts";
import { flows } from "./0002-flows.ts";
import { device } from "./0003-device.ts";
import { verifiedEmail } from "./0004-verified-email.ts";
import { subjectLinks } from "./0005-subject-links.ts";
import { upkeep } from "./0006-upkeep.ts";
import { companies } from "./0007-companies.ts";
import { history } from "./0008-history.ts";
import { companyChoices } from "./0009-company-choices.ts";
import { factors } from "./0010-factors.ts";
import { takenBackScopes } from "./0011-taken-back-scopes.ts";
import { uses } from "./0012-uses.ts";
import { mail } from "./0013-mail.ts";
import { endings } from "./0014-endings.ts";
import { knownDevices } from "./0015-known-devices.ts";
import { mailRequests } from "./0016-mail-requests.ts";
import { lookAlikes } from "./0017-look-alikes.ts";
import { consentHosts } from "./0018-consent-hosts.ts";
import { recovery } from "./0019-recovery.ts";
import { consentCeilings } from "./0020-consent-ceilings.ts";
import { appearances } from "./0021-appearances.ts";
import { waysBack } from "./0022-ways-back.ts";
import { invitedSince } from "./0023-invited-since.ts";
import { declinedScopes } from "./0024-declined-scopes.ts";
import { oldestBrowsers } from "./0025-oldest-browsers.ts";
import { rulesForSelectedMembers } from "./0026-rules-for-selected-members.ts";
import { introspected } from "./0027-introspected.ts";
import { endedWaysBack } from "./0028-ended-ways-back.ts";
import { ownChoices } from "./0029-own-choices.ts";
import { activeGrants } from "./0030-active-grants.ts";
import { nonce } from "./0031-nonce.ts";
import { details } from "./0032-details.ts";
import { claims } from "./0033-claims.ts";
import { chosenEnds } from "./0034-chosen-ends.ts";
import { sessionOfGrant } from "./0035-session-of-grant.ts";
import { logoutNotices } from "./0036-logout-notices.ts";
import { signInProviders } from "./0037-sign-in-providers.ts";
import { pictures } from "./0038-pictures.ts";
import { sessionsFromElsewhere } from "./0039-sessions-from-elsewhere.ts";
import { pausedGrants } from "./0040-paused-grants.ts";
import { cutBy } from "./0041-cut-by.ts";
import { refusals } from "./0042-refusals.ts";
import { companySignIn } from "./0043-company-sign-in.ts";
import { externalAnswers } from "./0044-external-answers.ts";
import { adminApi } from "./0045-admin-api.ts";
import { events } from "./0046-events.ts";
import { configuration } from "./0047-configuration.ts";
import { delegations } from "./0048-delegations.ts";
import { webhooks } from "./0049-webhooks.ts";
import { registration } from "./0050-registration.ts";
import { ownersPauses } from "./0051-owners-pauses.ts";
import { endsByScope } from "./0052-ends-by-scope.ts";
import { signOutsEverywhere } from "./0053-sign-outs-everywhere.ts";
import { companyConnections } from "./0054-company-connections.ts";
import { connectionsOfClient } from "./0055-connections-of-client.ts";
import { leftOutUnapproved } from "./0056-left-out-unapproved.ts";
import { hostOfRequest } from "./0057-host-of-request.ts";
import { hostsOfAnswers } from "./0058-hosts-of-answers.ts";
import { lastCompanies } from "./0059-last-companies.ts";
import type { Migration } from "./migration.ts";

export const migrations: readonly Migration[] = [
  first,
  flows,
  device,
  verifiedEmail,
  subjectLinks,
  upkeep,
  companies,
  history,
  companyChoices,
  factors,
  takenBackScopes,
  uses,
  mail,
  endings,
  knownDevices,
  mailRequests,
  lookAlikes,
  consentHosts,
  recovery,
  consentCeilings,
  appearances,
  waysBack,
  invitedSince,
  declinedScopes,
  oldestBrowsers,
  rulesForSelectedMembers,
  introspected,
  endedWaysBack,
  ownChoices,
  activeGrants,
  nonce,
  details,
  claims,
  chosenEnds,
  sessionOfGrant,
  logoutNotices,
  signInProviders,
  pictures,
  sessionsFromElsewhere,
  pausedGrants,
  cutBy,
  refusals,
  companySignIn,
  externalAnswers,
  adminApi,
  events,
  configuration,
  delegations,
  webhooks,
  registration,
  ownersPauses,
  endsByScope,
  signOutsEverywhere,
  companyConnections,
  connectionsOfClient,
  leftOutUnapproved,
  hostOfRequest,
  hostsOfAnswers,
  lastCompanies,
];

/** The newest migration of this program. A database without a newer one needs nothing else. */
export const NEWEST_MIGRATION = Math.max(...migrations.map(({ id }) => id));
