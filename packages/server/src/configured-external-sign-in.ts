/** The operator's own sign-in page in the configuration: its problems, one line each. */

import { isPlain } from "./configured-code.ts";
import { ACR_VALUES } from "./oauth/authentication-context.ts";
import { canonicalDomain } from "./owners/canonical-login.ts";
import type { ExternalSignIn } from "./owners/identities/external-sign-in.ts";
import { isLoopbackHost } from "./setting-kinds.ts";

/** Characters of a name, as of a provider's. */
const MAX_NAME = 60;
/** Characters of the page's address. The challenge is added to it. */
const MAX_URL = 500;
const MOST = 50;

type Checks = {
  readonly [Key in keyof Required<ExternalSignIn>]: readonly [wanted: string, fits: (value: unknown) => boolean];
};

const optional = (fits: (value: unknown) => boolean) => (value: unknown) => value === undefined || fits(value);

function isList(value: unknown, least: number, fits: (one: string) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.length >= least &&
    value.length <= MOST &&
    value.every((one) => typeof one === "string" && fits(one))
  );
}

function isAddress(value: unknown): boolean {
  if (typeof value !== "string" || value.length > MAX_URL || !URL.canParse(value)) return false;
  const { protocol, hostname, hash, username, password, searchParams } = new URL(value);
  if (hash !== "" || username !== "" || password !== "" || searchParams.has("challenge")) return false;
  return protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname));
}

const CHECKS: Checks = {
  url: [
    `an https address (http on this machine) of at most ${MAX_URL} characters, without a fragment and without the parameter challenge`,
    isAddress,
  ],
  name: [
    `1 to ${MAX_NAME} characters`,
    (value) => typeof value === "string" && value.trim() !== "" && value.length <= MAX_NAME,
  ],
  clients: [`a list of 1 to ${MOST} client IDs`, (value) => isList(value, 1, (one) => one !== "")],
  builtIn: ['"replaced" or "beside"', optional((value) => value === "replaced" || value === "beside")],
  acrValues: [
    `a list of ${ACR_VALUES.join(", ")}`,
    optional((value) => isList(value, 1, (one) => ACR_VALUES.some((acr) => acr === one))),
  ],
  amrValues: [
    `a list of at most ${MOST} words of letters, digits, _ and -`,
    optional((value) => isList(value, 0, (one) => /^[\w-]{1,20}$/.test(one))),
  ],
  emailDomains: [
    `a list of at most ${MOST} domains in lower case, such as example.com`,
    optional((value) => isList(value, 0, (one) => canonicalDomain(one) === one)),
  ],
  createPeople: ["true or false", optional((value) => typeof value === "boolean")],
  whenDisabled: [
    '"keep", "pause" or "end"',
    optional((value) => value === "keep" || value === "pause" || value === "end"),
  ],
};

export function externalSignInProblems(value: unknown): readonly string[] {
  if (!isPlain(value)) return ["externalSignIn: wanted an object with url, name and clients"];
  const known = Object.entries(CHECKS).flatMap(([key, [wanted, fits]]) =>
    fits(value[key]) ? [] : [`${key}: wanted ${wanted}`],
  );
  const others = Object.keys(value).filter((key) => !Object.hasOwn(CHECKS, key));
  return [...known, ...others.map((key) => `${key}: there is no such key`)].map(
    (problem) => `externalSignIn.${problem}`,
  );
}
