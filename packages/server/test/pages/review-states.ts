/** The states of the question before a company's rule is saved. */
import type { CompanyReviewView } from "../../src/pages/company/views.ts";
import { type Chrome, companyReviewPage } from "../../src/pages/index.ts";
import { endings, frame } from "./company-states.ts";
import { ada, LONG_NAME, longPerson, NOW } from "./sample-views.ts";

const DAY = 86_400_000;
const HOUR = DAY / 24;
const see = "See your photos and albums";
const add = "Add photos";

function aReview(change: Partial<CompanyReviewView> = {}): CompanyReviewView {
  return {
    ...{ ...frame(), app: "Photo Printer", action: "/apps/c-1", fields: [["rule", "allow"]] },
    ...{ opens: null, blocks: null, withdraws: null, loses: null, shortens: null, stays: [], stopsIn: 10, lasting: [] },
    onlyCovered: [],
    paused: false,
    defaultRule: "ask",
    allows: { members: null, scopes: [see], endsAt: NOW + 300 * DAY },
    ...change,
  };
}

export const reviewStates: Readonly<Record<string, (chrome: Chrome) => string>> = {
  "company-block": (c) =>
    companyReviewPage(
      aReview({
        fields: [["rule", "block"]],
        allows: null,
        blocks: { people: 1, scopes: [see], through: [] },
        stopsIn: 0,
      }),
      c,
    ),
  "company-block-through": (c) =>
    companyReviewPage(
      aReview({
        ...{ fields: [["rule", "block"]], allows: null },
        blocks: { people: 0, scopes: [], through: [{ name: LONG_NAME, lastUsedAt: NOW - HOUR }] },
      }),
      c,
    ),
  "company-open": (c) => companyReviewPage(aReview({ opens: [see, add] }), c),
  "company-open-paused": (c) => companyReviewPage(aReview({ opens: [see, add], paused: true }), c),
  "company-open-default": (c) =>
    companyReviewPage(aReview({ fields: [["rule", "default"]], defaultRule: "members", allows: null, opens: [] }), c),
  "company-narrow": (c) =>
    companyReviewPage(
      aReview({
        fields: [
          ["rule", "allow"],
          ["duration", "604800"],
        ],
        app: LONG_NAME,
        withdraws: { people: 3, endsAt: NOW + 7 * DAY },
        onlyCovered: [{ app: LONG_NAME, server: "Chat" }],
        loses: { people: 12, scopes: [add] },
        shortens: { people: 12, scopes: endings().slice(0, 1), to: NOW + 7 * DAY },
        stays: [{ name: "photos:delete", description: "Delete photos for good", expiresAt: null }],
        allows: {
          members: [longPerson, ada].map(({ username }) => ({ username, personName: null })),
          scopes: [see],
          endsAt: NOW + 7 * DAY,
        },
      }),
      c,
    ),
  "company-unapprove": (c) =>
    companyReviewPage(aReview({ fields: [["rule", "ask"]], allows: null, withdraws: { people: 12, endsAt: null } }), c),
  "company-undecide": (c) =>
    companyReviewPage(
      aReview({ fields: [["rule", "default"]], allows: null, withdraws: { people: 2, endsAt: NOW + 7 * DAY } }),
      c,
    ),
  "company-shorten": (c) =>
    companyReviewPage(aReview({ shortens: { people: 2, scopes: endings(), to: NOW + 30 * DAY } }), c),
};
