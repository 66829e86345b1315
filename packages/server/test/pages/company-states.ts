/** The states of pages about companies. What they share with others is read when a page is rendered: the two files import each other. */
import { askAdminPage, askedAdminPage, type Chrome, consentPage } from "../../src/pages/index.ts";
import type { AskAdminView, OwnerOption } from "../../src/pages/views.ts";
import { aClient, aConsent, ada, deviceForm, form, LONG_NAME, scopes, television } from "./states.ts";

const owners = (): readonly OwnerOption[] => [
  { value: "person-id", name: ada.name, kind: "self", selected: true },
  { value: "company-1", name: "Acme Corp", kind: "company", selected: false },
  { value: "company-2", name: LONG_NAME, kind: "ask", selected: false },
  { value: "company-3", name: "Globex", kind: "blocked", selected: false },
];

function anAskAdmin(change: Partial<AskAdminView> = {}): AskAdminView {
  return {
    ...{ form, client: aClient(), company: "Acme Corp", owner: "company-1", scopes, reason: "", longest: 500 },
    problem: null,
    ...change,
  };
}

export const companyStates: Readonly<Record<string, (chrome: Chrome) => string>> = {
  "consent-owners": (c) => consentPage(aConsent({ owners: owners() }), c),
  "consent-bad-owner": (c) => consentPage(aConsent({ owners: owners(), problem: { kind: "bad_owner" } }), c),
  "ask-admin": (c) => askAdminPage(anAskAdmin(), c),
  "ask-admin-wrong": (c) => askAdminPage(anAskAdmin({ problem: "reason" }), c),
  "ask-admin-many": (c) =>
    askAdminPage(anAskAdmin({ problem: "too_many", company: LONG_NAME, reason: "For the fair." }), c),
  "asked-admin": (c) => askedAdminPage({ form, client: aClient(), company: "Acme Corp" }, c),
  "asked-admin-device": (c) => askedAdminPage({ form: deviceForm, client: television, company: "Acme Corp" }, c),
};
