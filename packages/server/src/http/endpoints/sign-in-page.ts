/** The sign-in page, with the continuation that waits behind it. */

import { canonicalLogin } from "../../owners/canonical-login.ts";
import { isReplaced } from "../../owners/identities/external-sign-in.ts";
import {
  activeProviders,
  connectedProviderNames,
  offeredProviders,
  providerOfAddress,
  providerOfCompany,
  providersOf,
} from "../../owners/identities/sign-in-elsewhere.ts";
import type { SignInProvider } from "../../owners/identities/sign-in-provider.ts";
import { knowsPassword, type Person } from "../../owners/person.ts";
import { signInPage } from "../../pages/index.ts";
import type { FormSecrets, NoWayIn, SignInView } from "../../pages/views.ts";
import type { Waiting } from "../../pages/waiting-view.ts";
import { type Arrival, formSecrets, onward, pageContextOf } from "../authorization/continuation-in-forms.ts";
import type { Visitor } from "../browser-of-request.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { addressOfPage, goingFrom } from "../external/go.ts";
import { formToken } from "../form-token.ts";
import { type Answer, formOf, page, redirect } from "../http-message.ts";
import { passkeyOffer } from "../passkey-forms.ts";
import { clientCard, signedInAs } from "./client-and-person-views.ts";
import { type Account, withKeptPassword } from "./require-sign-in.ts";
import { waysFor } from "./second-step-page.ts";

interface Shown {
  readonly problem: SignInView["problem"];
  /** The typed username, on a second try. */
  readonly username: string;
  readonly status: number;
  /** The company's provider at which they tried to sign in. Absent: none. */
  readonly tried?: SignInProvider;
}

/** The content of the page before anything was typed. */
export const FIRST: Shown = { problem: null, username: "", status: 200 };

/**
 * `again`: the result of the last try. Null: the first try. `waiting`: what waits in another browser.
 */
export async function signInAnswer(
  arrival: Arrival,
  tools: FlowTools,
  again: Shown | null,
  waiting: Waiting | null = null,
): Promise<Answer> {
  const own = again?.problem == null && waiting === null ? ownPageAnswer(arrival, tools) : undefined;
  if (own?.kind === "at once") return own.answer;
  const { visitor, http, continuation, flow, invited, atCompany } = arrival;
  const { signedIn } = visitor;
  const known = signedIn && (await withKeptPassword(signedIn.person, tools));
  const stays = staysSignedIn(arrival, tools);
  const form = { ...formSecrets(continuation, visitor, tools), ...(stays === null ? {} : { switch: "yes" as const }) };
  const confirms = stays === null && continuation?.kind === "account_page" ? known : undefined;
  const request = flow?.request;
  const unexpected =
    signedIn !== undefined && stays === null && request?.expectedPeople?.includes(signedIn.person.personId) === false;
  const chooses =
    !unexpected && continuation?.kind === "request" && request?.prompt.includes("select_account") === true;
  const chooser = chooses && stays === null ? signedIn : undefined;
  const hint = stays === null ? (request?.loginHint?.slice(0, 254) ?? chooser?.person.username ?? "") : "";
  const { username, problem, status } = again ?? { ...FIRST, username: hint };
  // The page asks for one account: nobody confirms who they are under another name.
  const isNamed =
    unexpected || chooser !== undefined || (signedIn !== undefined && isNameOf(username, signedIn.person));
  const asksPresent = flow === undefined ? continuation?.kind === "device" : isNamed && !unexpected;
  const proves = confirms !== undefined || (stays === null && asksPresent);
  const noWay = proves && known !== undefined ? await noWayIn(known, tools) : undefined;
  // Somebody who chooses an account still sees the ways of other people.
  const stuck = noWay !== undefined && !chooses;
  const ways = stuck ? NO_WAYS : await waysToSignIn(confirms, visitor, tools);
  const { passkey, asksPassword } = ways;
  const companyId = atCompany?.companyId ?? invited?.companyId;
  const closed = isReplaced(tools.config.externalSignIn);
  const theirs =
    companyId === undefined || closed || stuck ? undefined : await providerOfCompany(companyId, tools.elsewhere);
  const offersMore = confirms === undefined && !closed && !stuck;
  const typed = offersMore ? (again?.tried ?? (await providerTyped(again, tools))) : undefined;
  const first = [theirs, typed].filter((one) => one !== undefined).map(({ id, name }) => ({ id, name }));
  const providers = [...new Map([...first, ...ways.providers].map((one) => [one.id, one])).values()];
  const noPassword =
    !asksPassword || (known !== undefined && !knowsPassword(known.person) && known.keptBy === undefined);
  const other = otherAccount(again, { visitor, continuation, flow }, form, stuck, tools);
  const knowsDomains = offersMore && first.length === 0 && (await hasDomains(tools));
  const workAddress = knowsDomains ? { workAddress: true } : {};
  const links = stuck ? { recover: false, signUp: false } : waysOf(tools);
  const common = {
    ...{ form, ways: links, passkey, stays, providers, asksPassword, noPassword, ...other },
    ...(noWay === undefined ? {} : { noWay }),
  };
  if (flow === undefined || request === undefined) {
    const view: SignInView = {
      ...{ ...common, ...workAddress },
      device: continuation?.kind === "device",
      client: null,
      ...(invited === undefined ? {} : { invited }),
      ...(atCompany === undefined ? {} : { company: atCompany.name }),
      waiting,
      username,
      problem,
      again: continuation?.kind !== "account_page" || signedIn === undefined ? null : signedInAs(signedIn.person),
    };
    // A button of a provider leads to the provider.
    const leads = providers.length === 0 ? "here" : "to a client";
    const shown = page(
      status,
      signInPage(view, tools.chrome(http, { here: hereOf(form, signedIn !== undefined) })),
      leads,
      visitor.cookies,
    );
    return own === undefined ? shown : { ...shown, headers: { ...shown.headers, refresh: `0; url=${own.address}` } };
  }
  const chrome = tools.chrome(http, pageContextOf({ flow, visitor }, tools));
  const view: SignInView = {
    ...{ ...common, ...workAddress },
    client: clientCard(request, chrome.words.language),
    username,
    problem,
    again: signedIn === undefined || stays !== null || !isNamed ? null : signedInAs(signedIn.person),
    ...(unexpected ? { unexpected } : {}),
    ...(chooser === undefined ? {} : { choose: { ...form, csrf: formToken(chooser.session, tools) } }),
  };
  return page(status, signInPage(view, chrome), "to a client", visitor.cookies);
}

/** True also for no name at all. */
function isNameOf(login: string, { username, email }: Person): boolean {
  const name = canonicalLogin(login);
  return login === "" || name === username || name === email;
}

/**
 * The provider of the address with which somebody could not sign in: a company's has no button of its own. It depends on
 * the domain alone, so it doesn't tell whether anybody has that address here.
 */
function providerTyped(again: Shown | null, tools: FlowTools): Promise<SignInProvider | undefined> | undefined {
  return again === null || again.username === ""
    ? undefined
    : providerOfAddress(again.username, false, tools.elsewhere);
}

async function hasDomains({ elsewhere }: FlowTools): Promise<boolean> {
  return (await activeProviders(elsewhere)).some(({ emailDomains, ownPage }) => emailDomains.length > 0 && !ownPage);
}

/**
 * The way to another account for somebody whose provider named one, or who can't sign in again. Without it, nothing
 * replaces the present person.
 */
function otherAccount(
  again: Shown | null,
  { visitor: { signedIn }, continuation, flow }: Pick<Arrival, "visitor" | "continuation" | "flow">,
  form: FormSecrets,
  stuck: boolean,
  tools: FlowTools,
): Pick<SignInView, "other"> {
  const { problem = null } = again ?? {};
  const isOther = problem?.kind === "elsewhere" && problem.why === "other_person";
  if ((!isOther && !stuck) || signedIn === undefined) return {};
  const waits = flow !== undefined || continuation?.kind === "device" || continuation?.kind === "invitation";
  return waits ? { other: { ...form, csrf: formToken(signedIn.session, tools) } } : {};
}

/**
 * Where the operator's own page is the only one: the browser goes there. An app's request goes at once. Somebody who comes
 * without one sees a page that leads there by itself: a redirect could be the end of a form of this server's pages, and
 * they may lead nowhere else (`form-action`). In all other cases, the page says what waits, with a button. Undefined: no
 * browser goes anywhere.
 */
function ownPageAnswer(
  arrival: Arrival,
  tools: FlowTools,
):
  | { readonly kind: "at once"; readonly answer: Answer }
  | { readonly kind: "by a page"; readonly address: string }
  | undefined {
  const { externalSignIn } = tools.config;
  const { continuation, visitor, http } = arrival;
  if (externalSignIn === null || !isReplaced(externalSignIn)) return undefined;
  const atOnce = continuation?.kind === "request";
  const alone = continuation === undefined && http.method === "GET" && visitor.signedIn === undefined;
  if (!atOnce && !alone) return undefined;
  const address = addressOfPage(externalSignIn, goingFrom(arrival), arrival, tools);
  if (address === undefined) return { kind: "at once", answer: problemAnswer("parameter_too_long", http, tools) };
  return atOnce ? { kind: "at once", answer: redirect(303, address, visitor.cookies) } : { kind: "by a page", address };
}
type Confirms = Pick<Account, "person" | "keptBy">;

/** Why that person could not sign in again now. Undefined: they could. */
export async function noWayIn(
  { person, keptBy }: Confirms,
  { elsewhere, config, mail, ...tools }: Pick<FlowTools, "elsewhere" | "config" | "mail" | "secondStep" | "issuer">,
): Promise<NoWayIn | undefined> {
  if (isReplaced(config.externalSignIn) || knowsPassword(person) || keptBy !== undefined) return undefined;
  if ((await providersOf(person, elsewhere)).length > 0) return undefined;
  if ((await waysFor({ person }, "mfa", tools)).passkeys) return undefined;
  const password = person.passwordHash === null ? "none" : "unknown";
  return {
    password,
    providers: await connectedProviderNames(person, elsewhere),
    // Who has no password gets no link.
    how: password === "unknown" && mail.enabled && person.emailVerifiedAt !== null ? "by mail" : "ask",
  };
}

interface WaysToSignIn extends Pick<SignInView, "passkey"> {
  readonly providers: NonNullable<SignInView["providers"]>;
  readonly asksPassword: boolean;
}

const NO_WAYS: WaysToSignIn = { providers: [], passkey: null, asksPassword: false };

/** `confirms`: the person who confirms who they are. They see only what they have. Undefined: anybody. */
async function waysToSignIn(confirms: Confirms | undefined, visitor: Visitor, tools: FlowTools): Promise<WaysToSignIn> {
  const { elsewhere, config } = tools;
  if (isReplaced(config.externalSignIn)) {
    const only = (await activeProviders(elsewhere)).filter(({ ownPage }) => ownPage === "only");
    return { providers: only.map(({ id, name }) => ({ id, name })), passkey: null, asksPassword: false };
  }
  const found = await (confirms === undefined ? offeredProviders(elsewhere) : providersOf(confirms.person, elsewhere));
  const providers = found.map(({ id, name }) => ({ id, name }));
  const passkey = passkeyOffer(visitor, tools);
  if (confirms === undefined || knowsPassword(confirms.person) || confirms.keptBy !== undefined)
    return { providers, passkey, asksPassword: true };
  const { passkeys } = await waysFor(confirms, "mfa", tools);
  return { providers, passkey: passkeys ? passkey : null, asksPassword: false };
}

/**
 * Who stays signed in while the person signs in with another account, and the path back. Null: nobody is signed in, or
 * the form is not for another account. The first sign-in with the other account ends the session.
 */
function staysSignedIn({ visitor, http, continuation, atCompany }: Arrival, tools: FlowTools): SignInView["stays"] {
  const switches =
    atCompany !== undefined ||
    http.path === "/login/switch" ||
    (http.method === "POST" && formOf(http).get("switch") === "yes");
  if (visitor.signedIn === undefined || !switches) return null;
  return { person: signedInAs(visitor.signedIn.person), back: onward(continuation, visitor, tools) };
}

/** The address at which that page can be loaded again. `confirms`: somebody is signed in, and signs in once more. */
function hereOf({ device, invitation, to }: FormSecrets, confirms: boolean): string {
  if (device !== undefined) return `/device/consent?device=${device}`;
  if (invitation !== undefined) return `/invitation?token=${invitation}`;
  return to === undefined ? "/login" : `${confirms ? "/account/confirm" : "/login"}?to=${to}`;
}

function waysOf({ mail, config, keeper }: FlowTools): NonNullable<SignInView["ways"]> {
  if (isReplaced(config.externalSignIn)) return { recover: false, signUp: false };
  const signUp = keeper?.application.signUp ?? (config.signUp && mail.enabled);
  return { recover: mail.enabled || keeper !== null, signUp };
}
