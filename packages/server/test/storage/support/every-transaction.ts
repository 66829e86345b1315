/** Arguments for each transaction of the storage, so that a test sees every statement. */

import { marksOf } from "../../../src/owners/recovery/factor-fingerprints.ts";
import { partitionOf } from "../../../src/storage/partition.ts";
import { hashOfSubject } from "../../../src/storage/people/subject-links.ts";
import { aCompany, aCompanyProvider, anAppRule, anInvitation } from "./company-builders.ts";
import { aDevice, aDeviceRedemption, anAnswer } from "./device-builders.ts";
import { aMail, aLink as aMailLink } from "./mail-builders.ts";
import {
  aClient,
  aDirectGrant,
  aGrant,
  aHash,
  aKey,
  anApproval,
  anId,
  aPasskey,
  aPerson,
  aRefresh,
  aResource,
  aScope,
  aSession,
  aSignInProvider,
  aTrustedIssuer,
  FROM_OWNER,
  FROM_STRANGER,
  NOW,
} from "./record-builders.ts";
import { aWebhook } from "./webhook-builders.ts";

const personId = anId();
export const person = aPerson({ personId, partition: partitionOf(personId) });
/** After the password was changed. */
const asking = aSession(person, { passwordChangedAt: NOW });
const again = aSession(person, { passwordChangedAt: NOW });
const grant = aGrant(person, { scopes: ["read", "write"] });
const consent = { partition: person.partition, ownerId: personId, clientId: grant.clientId, now: NOW };
const registrationToken = {
  ...{ tokenId: "r", uses: 1, used: 0, policy: null, createdBy: "operator" },
  ...{ createdAt: NOW, expiresAt: NOW + 1000 },
};
const aRegistration = {
  client: aClient({ clientId: "own-1", reviewed: false }),
  ...{ forgetAfter: NOW + 1, mostUnused: 100, network: "192.0.2.0/24", now: NOW },
};
const adminToken = { tokenId: "t", scopes: ["admin"], createdBy: "operator", createdAt: NOW, expiresAt: NOW + 1000 };
const sweep = { now: NOW + 9_000_000_000, limit: 10 };
const presented = { deviceId: "x", generation: 0 };
const device = { presented: null, freshId: presented.deviceId };
const deviceRequest = aDevice({ clientId: grant.clientId });
const deviceAnswer = anAnswer(deviceRequest, person);
const aLink = {
  ...{ partition: person.partition, personId, link: "l", now: NOW, madeBy: "operator" },
  subject: { issuerId: "i", claim: null, subject: "s" },
};
const upstreamChange = {
  ...{ partition: person.partition, personId, subject: aLink.subject, name: "n" },
  ...{ whenDisabled: "pause", wholePerson: false, now: NOW },
};
const passkey = aPasskey(person);
const client = aClient({ clientId: grant.clientId });
const described = {
  ...aClient({ clientId: "https://tool.test/c.json", reviewed: false }),
  document: { checkedAt: NOW, appearance: "a", logoUri: null, scope: null },
};

export const company = aCompany();
const founded = aCompany();
const membership = {
  ...{ partition: company.partition, companyId: company.companyId, personId, username: person.username },
  ...{ role: "member", addedBy: "operator", link: "link", version: 0 },
};
const companyProvider = aCompanyProvider();
const atCompany = {
  ...{ company, sid: null },
  subject: { issuerId: companyProvider.id, claim: companyProvider.issuer, subject: "x" },
};
const inCompany = { partition: company.partition, ownerId: company.companyId, grantId: anId(company.partition) };
const companyApp = { partition: company.partition, companyId: company.companyId, clientId: grant.clientId };
const ruling = (rule: object) => ({
  ...{ ...companyApp, shown: { locale: "en", clientName: "A", logo: null }, by: null, now: NOW },
  ...rule,
});
const connection = { ...companyApp, audience: "https://as.example", by: null, now: NOW };
const connecting = {
  ...{ ...connection, endsAt: NOW + 1000, seen: null },
  record: { clientIdThere: "x", scopes: ["a"], resources: [], clientName: "A", serverName: "B", texts: {} },
};
const vouching = { ...consent, personId, clientName: "A", audience: "https://as.example", needs: "openid" };
const ownConnection = { connectedAt: NOW, endsAt: NOW, company: { companyId: company.companyId, name: "Acme" } };
const invitation = anInvitation(company, { addressee: person.username });
const saltHash = aHash();

const mails = [aMail(person.partition)];
const linkKey = { partition: person.partition, saltHash, passwordHash: "x", before: person.email, mails, now: NOW };
const toLink = (purpose: "recover" | "verify" | "change" | "undo") => aMailLink(person, purpose);
const mailLinks = {
  recover: toLink("recover"),
  verify: toLink("verify"),
  change: toLink("change"),
  undo: toLink("undo"),
};
const following = ({ linkId }: { readonly linkId: string }) => ({ ...linkKey, linkId });
const restoring = aMailLink(person, "restore", { about: anId() });
const takingBack = (link: { readonly linkId: string }, changes: object = {}) => ({
  ...following(link),
  device: presented,
  ...{
    seen: [],
    removal: null,
    endApps: [],
    chosenApps: [],
    endCompanies: [],
    shownAt: NOW,
    identitiesSince: NOW,
    ...changes,
  },
});
const removing = {
  ...{ removalId: restoring.about ?? "", passkeys: [passkey.credentialId], authenticator: true, codes: false },
  ...{ until: NOW + 1000, links: [{ link: restoring, saltHash }] },
};
const aFactor = { ...person, sealedSecret: aHash(), step: 1, codes: ["a", "b"], now: NOW };
const strange = { createdAt: NOW, added: FROM_STRANGER, codesAt: NOW };
const codesAdded = { ...FROM_STRANGER, vouchedFrom: NOW + 1 };
const asRemoved = { seen: marksOf([passkey], { ...strange, codesAdded, earlier: {} }), removal: removing };

const anotherPerson = aPerson();
const facts = { at: NOW, kind: "key.created", actor: "server", subject: null, clientId: null, record: "{}", hash: "h" };
const checkpoint = { kind: "sealed", seq: 1, at: NOW, hash: "h", signed: "s" };
const sealing = {
  ...{ holder: "h", now: NOW, head: { seq: 0, hash: "" }, events: [{ seq: 1, eventId: "e", ...facts }] },
  ...{ done: [{ partition: 0, eventId: "e" }], checkpoint, replaces: { ...checkpoint, seq: 0 } },
};

const webhook = aWebhook();
const settling = { webhookId: webhook.id, seq: 1, tries: 0, now: NOW, attempts: [], fault: "status 410" };

/** Arguments for each transaction, in an order in which each has an effect. */
export const calls: readonly (readonly [string, unknown])[] = [
  ["grants.approve", anApproval(grant)],
  ["grants.approve", anApproval(grant)],
  ["grants.approve", anApproval(aGrant(person), { declined: ["write"] })],
  ["grants.approve", anApproval(aGrant(person, { sid: anId(person.partition), toldOfLogout: true }))],
  ["sessions.create", again],
  ["sessions.create", { ...aSession(person, { passwordChangedAt: NOW }), replaces: again }],
  ["sessions.end", { ...again, now: NOW }],
  ["collectNotices", sweep],
  ["grants.issue", { grant: aGrant(person), now: NOW }],
  [
    "grants.refuse",
    {
      ...{ partition: person.partition, ownerId: personId, clientId: grant.clientId, personId, via: "browser" },
      ...{ clientName: "App", scopes: ["read"], shown: { locale: "en", texts: {} }, trustedFrom: 0, now: NOW },
    },
  ],
  ["consents.forgetDeclined", { ...consent }],
  ["consents.forgetChoice", { ...consent }],
  ["consents.narrow", { ...consent, remove: ["read"], by: "x" }],
  ["grants.approve", anApproval(aGrant(person))],
  ["scopeUses.record", { ...consent, scopes: ["read"] }],
  ["apiUses.record", { ...consent, grantId: grant.grantId, api: "https://api.example" }],
  ["consents.setPaused", { ...consent, paused: true, by: "x" }],
  ["consents.setPaused", { ...consent, paused: false, by: "x" }],
  [
    "delegations.record",
    {
      ...{ ...consent, grantId: grant.grantId, personId, actorId: "agent", askerId: "agent", actorName: "B" },
      ...{ clientName: "A", scopes: [], byConsent: [], impersonation: false, usedFrom: "x" },
    },
  ],
  ["recordVouching", vouching],
  ["recordVouching", { ...vouching, own: ownConnection }],
  ["tellMember", { ...vouching, own: ownConnection }],
  ["consents.changeEnd", { ...consent, end: NOW + 1000, by: "x" }],
  ["grants.end", { ...aRefresh(grant), saltHash: aRefresh(grant).refreshSaltHash }],
  ["grants.issueWithoutCode", aDirectGrant(person)],
  ["consents.revoke", { ...consent, revokedBy: "x" }],
  ["writeCompanyLink", { ...membership, partition: person.partition, now: NOW }],
  ["insertMember", { ...membership, now: NOW }],
  ["writeFounderLink", { company: founded, person, link: "founded", most: 5, now: NOW }],
  ["insertFounded", { company: founded, person, link: "founded", version: 0, now: NOW }],
  ["confirmCompanyLink", { ...membership, partition: person.partition, version: 0, now: NOW }],
  ["companyApps.setRule", ruling({ rule: anAppRule() })],
  ["grants.issue", { grant: aGrant(person, inCompany), now: NOW }],
  ["companyApps.setPaused", { ...companyApp, paused: true, by: null, now: NOW }],
  ["companyApps.setPaused", { ...companyApp, paused: false, by: null, now: NOW }],
  ["companyApps.setRule", ruling({ rule: anAppRule({ scopes: ["write"] }) })],
  ["companyApps.setRule", ruling({ rule: { ...anAppRule(), selected: [personId] }, members: "end" })],
  ["companyApps.setRule", ruling({ rule: anAppRule({ rule: "ask" }), members: "end" })],
  ["companyConnections.put", connecting],
  ["companyConnections.put", { ...connecting, seen: NOW }],
  ["companyConnections.remove", { ...connection, seen: NOW + 1 }],
  ["companyApps.forgetChoice", { ...companyApp, personId }],
  ["companyApps.setOptOut", { ...companyApp, personId, out: true, now: NOW }],
  ["lastCompanies.note", { ...companyApp, partition: person.partition, personId, chosenAt: NOW }],
  ["companyApps.revokeForAll", { ...companyApp, by: null, now: NOW }],
  ["companyApps.askApproval", { ...companyApp, personId, scopes: ["read"], reason: "", mails, now: NOW }],
  ["companyApps.refuseRequest", { ...companyApp, personId, seen: NOW, refused: ["read"], by: null, mails, now: NOW }],
  ["members.setRole", { ...membership, role: "admin", by: personId, now: NOW }],
  ["invitations.create", { invitation, saltHash, by: null, mails, now: NOW }],
  ["joinCompany", { ...invitation, saltHash, person, link: "another", version: 0, now: NOW }],
  ["stepDown", { ...membership }],
  ["noteStanding", { ...person, now: NOW }],
  ["companySignIn.set", { ...company, addDomains: ["corp.test"], removeDomains: [], now: NOW }],
  [
    "companySignIn.putProvider",
    { ...company, by: null, provider: companyProvider, seen: null, most: 5, step: "connected", mails, now: NOW },
  ],
  ["sessions.create", aSession(person, { upstream: atCompany, amr: ["fed"] })],
  ["companySignIn.followRole", { ...membership, provider: "Acme ID", role: "admin", now: NOW }],
  ["invitations.withdraw", { ...invitation, by: null, now: NOW }],
  ["writeCompany", { ...company, changes: {}, slugBefore: company.slug, by: null, now: NOW }],
  ["applyOutboxEntry", { ...membership, version: 1, standing: "paused", cutAt: null, now: NOW }],
  ["applyOutboxEntry", { ...membership, version: 2, standing: "active", cutAt: null, now: NOW }],
  ["applyOutboxEntry", { ...membership, version: 3, standing: "gone", cutAt: NOW, invitedSince: NOW, now: NOW }],
  ["eraseMember", { ...membership, by: null, mails, now: NOW }],
  ["eraseCompanyProvider", { ...company, by: null, seen: null, mails, now: NOW }],
  ["dropCompanySignIn", { ...company }],
  ["companies.setStatus", { ...company, status: "disabled", now: NOW }],
  ["eraseCompany", { ...company, now: NOW }],
  ["issuers.put", { issuer: aTrustedIssuer(), create: true }],
  ["pictures.set", { ...person, picture: null, now: NOW }],
  [
    "pictures.set",
    {
      ...{ ...person, picture: { pictureId: anId(person.partition), type: "image/webp", bytes: new Uint8Array(9) } },
      now: NOW,
    },
  ],
  ["signInProviders.put", { provider: aSignInProvider(), create: true, most: 50 }],
  ["removeProvider", { id: "none" }],
  ["removeIssuer", { issuer: "https://idp.example" }],
  ["insertLinkedPerson", { ...aLink, person: aPerson({ personId: anId(person.partition) }) }],
  ["insertSubjectLink", { ...aLink, sole: true }],
  ["insertSubjectLink", { ...aLink, sole: false }],
  ["eraseOwnSubjectLink", { ...aLink, sessionId: "none", now: NOW }],
  ["recordDevice", deviceAnswer],
  ["grantDevice", aDeviceRedemption(deviceRequest, deviceAnswer.approval)],
  ["collectAnswers", sweep],
  ["collectDevices", { now: NOW, limit: 10 }],
  ["useAcrossSpans", { kind: "saml id", key: "a", until: NOW + 90_000_000, now: NOW }],
  ["emptyRing", { now: NOW + 2 * 15 * 60_000 }],
  ["collectAccepted", { now: NOW, limit: 10 }],
  ...Object.values(mailLinks).map((link) => ["mailLinks.create", { link, saltHash, mails, now: NOW }] as const),
  ["mailLinks.verifyEmail", following(mailLinks.verify)],
  ["writeEmail", { ...following(mailLinks.change), undo: { link: toLink("undo"), saltHash } }],
  ["mailLinks.create", { link: mailLinks.recover, saltHash, mails, now: NOW }],
  ["insertPasskey", { ...passkey, mails, now: NOW }],
  ["secondFactors.set", { ...aFactor, added: FROM_OWNER }],
  ["secondFactors.set", { ...aFactor, added: FROM_STRANGER }],
  ["secondFactors.vouch", { ...person, what: "codes", createdAt: NOW, from: NOW + 1, now: NOW }],
  ["grants.approve", anApproval(aGrant(person))],
  ["writeRecovery", takingBack(mailLinks.recover, { ...asRemoved, endApps: [grant.clientId] })],
  ["secondFactors.set", { ...aFactor, added: FROM_STRANGER }],
  ["writeRestore", { ...following(restoring), device: presented }],
  ["eraseWaysBack", person],
  ["recovery.endLinks", person],
  ["writePerson", { ...person, before: person.email, given: true, changes: { email: "a@example.com" }, now: NOW }],
  ["writePerson", { ...person, before: "a@example.com", changes: { email: person.email }, now: NOW }],
  ["erasePasskey", { ...passkey, mails, now: NOW }],
  ["secondFactors.remove", { ...person, now: NOW }],
  ["mailLinks.create", { link: mailLinks.undo, saltHash, mails, now: NOW }],
  ["writeUndo", takingBack(mailLinks.undo)],
  ["collectAddresses", sweep],
  ["mail.post", { mails, now: NOW }],
  ["writeDeletion", { ...person, at: NOW, keepSessionId: null, mails, now: NOW }],
  ["collectMailLinks", sweep],
  ["collectMailRequests", sweep],
  ["collectOutbox", sweep],
  ["sessions.create", aSession(person, { device, replaces: { partition: 1, sessionId: "x" } })],
  [
    "knownDevices.remember",
    { ...person, device: { presented, freshId: "y" }, address: null, userAgent: null, now: NOW },
  ],
  ["grants.approve", anApproval(aGrant(person))],
  [
    "writePassword",
    {
      ...{ ...person, passwordHash: "x", mustChange: false, endGrants: true, keepSessionId: null },
      ...{ unlessOperator: true, now: NOW },
    },
  ],
  ["sessions.create", asking],
  ["endUpstreamSessionsOf", { partition: person.partition, personId, link: "x", sid: "y", name: "n", now: NOW }],
  ["sessions.endOne", { ...person, ends: "x", sessionId: asking.sessionId, now: NOW }],
  ["sessions.revoke", { partition: person.partition, sessionId: "x", now: NOW }],
  ["sessions.endAll", { ...person, sessionId: asking.sessionId, now: NOW }],
  ["insertPasskey", { ...passkey, mails, now: NOW }],
  ["erasePasskey", { ...passkey, mails, now: NOW }],
  ["insertPasskey", { ...passkey, mails, now: NOW }],
  ["secondFactors.set", { ...person, sealedSecret: aHash(), step: 1, codes: ["a", "b"], added: FROM_OWNER, now: NOW }],
  ["secondFactors.setRecoveryCodes", { ...person, codes: ["c"], added: FROM_OWNER, now: NOW }],
  ["secondFactors.useRecoveryCode", { ...person, code: "c", mails, now: NOW }],
  ["secondFactors.remove", { ...person, now: NOW }],
  ["writeClient", { client, expect: 0 }],
  ["writeClient", { client: { ...client, status: "disabled" }, expect: null }],
  ["endGrantsOfClient", { clientId: grant.clientId, limit: 10 }],
  ["endGrantsOfClient", { clientId: grant.clientId, limit: 10 }],
  ["writeClient", { client, expect: null }],
  ["removeClient", { clientId: grant.clientId, now: NOW }],
  ["endGrantsOfClient", { clientId: grant.clientId, limit: 10 }],
  ["resources.put", { resource: aResource(), create: true }],
  ["scopes.put", { scope: aScope({ resource: "https://api.example" }), create: true }],
  ["configuredRecords.put", { records: [{ kind: "scopes", recordId: "read", configuration: "c", label: "read" }] }],
  ["resources.delete", { identifier: "https://api.example" }],
  ["scopes.delete", { name: "read", now: NOW }],
  ["keys.add", { key: aKey({ kid: "k" }) }],
  ["keys.retire", { kid: "k", now: NOW }],
  ["keys.remove", { kid: "k" }],
  ["writeNewPerson", { person: anotherPerson, now: NOW }],
  ["writeNewCompany", { company: aCompany(), now: NOW }],
  ["events.note", { events: [{ kind: "key.created", at: NOW, subject: personId, personal: { address: "a" } }] }],
  ["events.noteReuse", grant],
  ["webhooks.put", { webhook, create: true, most: 10, told: "webhook.created" }],
  ["webhooks.test", { id: webhook.id }],
  ["events.seal", sealing],
  ["events.renew", { ...sealing, checkpoints: [sealing.checkpoint] }],
  [
    "webhooks.replay",
    { webhookId: webhook.id, events: [{ seq: 1, eventId: "e", kind: facts.kind }], now: NOW, told: 1 },
  ],
  ["webhooks.settle", { ...settling, outcome: { kind: "delivered" } }],
  ["webhooks.settle", { ...settling, outcome: { kind: "given_up", failed: true, gone: true } }],
  ["collectDeliveries", sweep],
  ["removeDeliveries", { id: webhook.id, limit: 10 }],
  ["removeWebhook", { id: webhook.id }],
  ["events.retire", { ...sealing, note: { ...sealing.checkpoint, kind: "dropped" } }],
  ["events.drop", { limit: 10 }],
  ["collectGrants", { now: NOW + 100_000_000, limit: 10 }],
  ["collectGrants", sweep],
  ["collectSessions", sweep],
  ["collectKnownDevices", sweep],
  ["collectInvitations", sweep],
  ["collectRequests", sweep],
  ["collectAttempts", sweep],
  ["collectClients", sweep],
  ["collectHistory", sweep],
  ["collectRefusals", sweep],
  ["collectLeases", sweep],
  ["adminTokens.add", { token: adminToken, tokenHash: "h", most: 10, now: NOW }],
  ["adminTokens.revoke", { tokenId: adminToken.tokenId }],
  ["registrations.addToken", { token: registrationToken, tokenHash: "i", most: 10, now: NOW }],
  ["registrations.register", { ...aRegistration, tokenHash: "i" }],
  ["registrations.register", { ...aRegistration, client: aClient({ clientId: "own-2" }), tokenHash: null }],
  ["registrations.revokeToken", { tokenId: registrationToken.tokenId }],
  ["collectIfUnused", { clientId: "own-1", now: NOW + 2 }],
  ["collectIfUnused", { clientId: "own-2", now: NOW }],
  ["writeClient", { client: described, expect: 0 }],
  ["collectIfUnused", { clientId: described.clientId, now: NOW + 31 * 86_400_000 }],
  ["collectRegistrationTokens", sweep],
  ["adminRequests.begin", { actor: "a", key: "k", requestHash: "h", most: 10, now: NOW }],
  ["adminRequests.begin", { actor: "a", key: "k", requestHash: "h", most: 10, now: NOW }],
  ["adminRequests.begin", { actor: "a", key: "l", requestHash: "h", most: 1, now: NOW }],
  ["collectAdminTokens", sweep],
  ["collectAdminRequests", sweep],
  ["insertSubjectLink", { ...aLink, link: hashOfSubject(aLink.subject), sole: false }],
  ["writeUpstreamChange", { ...upstreamChange, change: "signed_out" }],
  ["writeUpstreamChange", { ...upstreamChange, change: "disabled" }],
  ["writeUpstreamChange", { ...upstreamChange, change: "enabled" }],
  ["writeUpstreamChange", { ...upstreamChange, change: "disabled" }],
  ["writePersonStatus", { ...person, status: "active", unlessOperator: true, now: NOW }],
  ["writePerson", { ...person, before: person.email, given: true, changes: {}, expected: person, now: NOW }],
  ["eraseToldLink", { ...person, link: hashOfSubject(aLink.subject), now: NOW }],
  ["writeUpstreamChange", { ...upstreamChange, change: "deleted" }],
  ["writePersonStatus", { ...person, status: "disabled", now: NOW }],
  ["erasePerson", { ...person, unlessOperator: true, now: NOW }],
];
