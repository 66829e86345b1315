/**
 * The states of pages for people whose passwords the operator's application keeps. None of them may offer to change
 * such a password here.
 */

import {
  askPage,
  type Chrome,
  keptPasswordPage,
  profilePage,
  securityPage,
  signInPage,
} from "../../src/pages/index.ts";
import { anOffer } from "./factor-states.ts";
import { aSignIn, HOSTILE_NAME, LONG_NAME, noRequest } from "./sample-views.ts";
import { aProfile, aSecurityView } from "./security-states.ts";

const csrf = "csrf-value";
const keeper = { name: "Acme", address: "https://acme.example/account/password" };
const ask = {
  what: "recover",
  form: noRequest,
  waiting: null,
  back: "/login",
  typed: "",
  fault: null,
  keeper,
} as const;
const ways = { recover: true, signUp: "https://acme.example/join" };

export const keptStates: Readonly<Record<string, (chrome: Chrome) => string>> = {
  "sign-in-kept": (c) => signInPage(aSignIn({ form: noRequest, client: null, passkey: anOffer, ways }), c),
  "sign-in-unchecked": (c) => signInPage(aSignIn({ problem: { kind: "unchecked" }, username: "ada", ways }), c),
  "recover-kept": (c) => askPage(ask, c),
  "recover-kept-missing": (c) => askPage({ ...ask, fault: { kind: "missing" } }, c),
  "recover-kept-alone": (c) => askPage({ ...ask, mail: false }, c),
  "recover-kept-long": (c) => askPage({ ...ask, keeper: { ...keeper, name: LONG_NAME } }, c),
  "security-kept": (c) => securityPage(aSecurityView({ password: { set: true, changedAt: null, keeper } }), c),
  "password-kept": (c) => keptPasswordPage({ csrf, keeper }, c),
  "password-kept-long": (c) => keptPasswordPage({ csrf, keeper: { ...keeper, name: LONG_NAME } }, c),
  "password-kept-hostile": (c) => keptPasswordPage({ csrf, keeper: { ...keeper, name: HOSTILE_NAME } }, c),
  "profile-kept": (c) => profilePage(aProfile({ keeper: keeper.name, hasPassword: false }), c),
  "profile-kept-no-address": (c) =>
    profilePage(aProfile({ keeper: keeper.name, hasPassword: false, email: null, verified: false }), c),
};
