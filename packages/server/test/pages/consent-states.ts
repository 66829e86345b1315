/** The states of the consent page about lengths of time, about addresses, and for somebody who may answer for a company. */

import { type Chrome, consentPage, deviceDonePage } from "../../src/pages/index.ts";
import type { OwnerOption } from "../../src/pages/views.ts";
import {
  aClient,
  aConsent,
  ada,
  DAY,
  durations,
  HOSTILE_NAME,
  HOUR,
  LONG_NAME,
  manyScopes,
  NOW,
  notAsked,
  scopes,
  television,
  UNBREAKABLE,
} from "./sample-views.ts";

const owners = (): readonly OwnerOption[] => [
  { value: "person-id", name: ada.name, kind: "self", selected: true, last: false },
  {
    ...{ value: "company-1", name: "Acme Corp", kind: "company", selected: false, last: true },
    ...{ endsBy: NOW + 7 * DAY, beyond: ["Delete photos"] },
  },
  { value: "company-2", name: LONG_NAME, kind: "ask", selected: false, last: false },
  {
    ...{ value: "company-4", name: "Initech", kind: "company", selected: false, last: false },
    ...{ admin: true, standsUntil: NOW + 30 * DAY },
  },
  { value: "company-3", name: "Globex", kind: "blocked", selected: false, last: false },
];

const selecting = (value: string) => owners().map((owner) => ({ ...owner, selected: owner.value === value }));

export const consentStates: Readonly<Record<string, (chrome: Chrome) => string>> = {
  "device-allowed-before": (c) => deviceDonePage({ client: television, outcome: "allowed_before" }, c),
  "consent-once": (c) =>
    consentPage(aConsent({ durations: durations.map((one) => ({ ...one, selected: one.value === "once" })) }), c),
  "consent-once-before": (c) =>
    consentPage(
      aConsent({ scopes: scopes.map((one, at) => (at === 1 ? { ...one, onceUntil: NOW + 600_000 } : one)) }),
      c,
    ),
  "consent-own-times": (c) =>
    consentPage(aConsent({ scopes: scopes.map((scope, at) => ({ ...scope, duration: at === 1 ? "once" : null })) }), c),
  "consent-new-host": (c) =>
    consentPage(
      aConsent({ newHost: { host: "print.example.com", before: ["printer.example.org"] }, keepsAccess: true }),
      c,
    ),
  "consent-new-host-only": (c) =>
    consentPage(aConsent({ newHost: { host: "print.example.com", before: [] }, keepsAccess: true }), c),
  "consent-new-host-many": (c) =>
    consentPage(
      aConsent({
        client: aClient({ host: `${"very-long-subdomain.".repeat(4)}example.com` }),
        newHost: {
          host: `${"very-long-subdomain.".repeat(4)}example.com`,
          before: ["127.0.0.1", "com.example.app:", "print.example.com", "a.example.com", "b.example.com"],
        },
        keepsAccess: true,
      }),
      c,
    ),
  "consent-ended-here": (c) => consentPage(aConsent({ endedHere: true, keepsAccess: true }), c),
  "consent-kept-beside": (c) => {
    const kept = scopes.map((one, at) =>
      at === 1 ? { ...one, checked: false, declined: true, keptUntil: NOW + 7 * DAY } : one,
    );
    return consentPage(aConsent({ owners: selecting("company-1"), scopes: kept, keepsAccess: true }), c);
  },
  "consent-kept-paused": (c) => {
    const kept = scopes.map((one, at) => (at === 1 ? { ...one, keptUntil: NOW + 7 * DAY } : one));
    const newHost = { host: "print.example.com", before: ["printer.example.org"] };
    const pause = { pausedAt: NOW - 2 * DAY, resume: "person-id" };
    return consentPage(aConsent({ ...pause, newHost, scopes: kept, notAsked, keepsAccess: true }), c);
  },
  "consent-keeps-long": (c) => {
    const many = manyScopes().map(({ description }, at) => ({ text: description, endsAt: NOW + at * DAY + HOUR }));
    const odd = [UNBREAKABLE.repeat(3), HOSTILE_NAME].map((text) => ({ text, endsAt: null }));
    return consentPage(aConsent({ notAsked: [...many, ...odd] }), c);
  },
  "consent-owners": (c) => consentPage(aConsent({ owners: owners() }), c),
  "consent-away-owners": (c) => consentPage(aConsent({ owners: owners(), away: "always" }), c),
  "consent-bad-owner": (c) => consentPage(aConsent({ owners: owners(), problem: { kind: "bad_owner" } }), c),
  "consent-admins-only": (c) => {
    const closed = {
      ...{ value: "company-5", name: "Umbrella" },
      kind: "adminsOnly",
      selected: false,
      last: false,
    } as const;
    return consentPage(aConsent({ owners: [...owners().slice(0, 1), { ...closed, keeps: true }] }), c);
  },
  "consent-left-company": (c) => consentPage(aConsent({ problem: { kind: "bad_owner", owner: "company-1" } }), c),
  "consent-needless": (c) => consentPage(aConsent({ owners: owners(), problem: { kind: "needless" } }), c),
  "consent-other-owner": (c) =>
    consentPage(aConsent({ owners: selecting("company-1"), problem: { kind: "other_owner" } }), c),
  "consent-owner-asks": (c) => consentPage(aConsent({ owners: selecting("company-2") }), c),
  "consent-owner-paused": (c) => {
    const paused = owners().map((owner) =>
      owner.value === "company-1" ? { ...owner, kind: "paused" as const } : owner,
    );
    return consentPage(aConsent({ owners: paused, problem: { kind: "bad_owner", owner: "company-1" } }), c);
  },
  "consent-owner-admin": (c) =>
    consentPage(
      aConsent({
        ...{ pausedAt: NOW - 2 * DAY, resume: "company-4", owners: selecting("company-4") },
        problem: { kind: "changed" },
      }),
      c,
    ),
  "consent-paused-unseen": (c) => {
    const pause = { pausedAt: NOW - 2 * DAY, resume: "company-1" };
    return consentPage(aConsent({ ...pause, owners: selecting("company-1"), problem: { kind: "paused" } }), c);
  },
};
