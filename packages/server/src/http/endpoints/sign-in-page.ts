/** The sign-in page, with the continuation that waits behind it. */

import { offeredProviders, providerOfCompany, providersOf } from "../../owners/identities/sign-in-elsewhere.ts";
import type { Person } from "../../owners/person.ts";
import { signInPage } from "../../pages/index.ts";
import type { FormSecrets, SignInView } from "../../pages/views.ts";
import type { Waiting } from "../../pages/waiting-view.ts";
import { type Arrival, formSecrets, onward, pageContextOf } from "../authorization/continuation-in-forms.ts";
import type { Visitor } from "../browser-of-request.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { formToken } from "../form-token.ts";
import { type Answer, formOf, page } from "../http-message.ts";
import { passkeyOffer } from "../passkey-forms.ts";
import { clientCard, signedInAs } from "./client-and-person-views.ts";
import { waysFor } from "./second-step-page.ts";

interface Shown {
  readonly problem: SignInView["problem"];
  /** The typed username, on a second try. */
  readonly username: string;
  readonly status: number;
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
  const { visitor, http, continuation, flow, invited, atCompany } = arrival;
  const { signedIn } = visitor;
  const stays = staysSignedIn(arrival, tools);
  const form = { ...formSecrets(continuation, visitor, tools), ...(stays === null ? {} : { switch: "yes" as const }) };
  const confirms = stays === null && continuation?.kind === "account_page" ? signedIn?.person : undefined;
  const ways = await waysToSignIn(confirms, visitor, tools);
  const { passkey, asksPassword } = ways;
  const companyId = atCompany?.companyId ?? invited?.companyId;
  const own = companyId === undefined ? undefined : await providerOfCompany(companyId, tools.elsewhere);
  const providers = [...(own === undefined ? [] : [{ id: own.id, name: own.name }]), ...ways.providers];
  const noPassword = signedIn?.person.passwordHash === null;
  const other = otherAccount(again, { visitor, continuation, flow }, form, tools);
  const common = { form, ways: waysOf(tools), passkey, stays, providers, asksPassword, noPassword, ...other };
  if (flow === undefined) {
    const { username, problem, status } = again ?? FIRST;
    const view: SignInView = {
      ...common,
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
    return page(
      status,
      signInPage(view, tools.chrome(http, { here: hereOf(form, signedIn !== undefined) })),
      leads,
      visitor.cookies,
    );
  }
  const { request } = flow;
  const chooses = continuation?.kind === "request" && request.prompt.includes("select_account");
  const chooser = chooses && stays === null ? signedIn : undefined;
  const hint = stays === null ? (request.loginHint?.slice(0, 254) ?? chooser?.person.username ?? "") : "";
  const { username, problem, status } = again ?? { ...FIRST, username: hint };
  const chrome = tools.chrome(http, pageContextOf({ flow, visitor }, tools));
  const view: SignInView = {
    ...common,
    client: clientCard(request, chrome.words.language),
    username,
    problem,
    again: signedIn === undefined || stays !== null ? null : signedInAs(signedIn.person),
    ...(chooser === undefined ? {} : { choose: { ...form, csrf: formToken(chooser.session, tools) } }),
  };
  return page(status, signInPage(view, chrome), "to a client", visitor.cookies);
}

/** The way to the other account for somebody whose provider named one. Without it, nothing replaces the present person. */
function otherAccount(
  again: Shown | null,
  { visitor: { signedIn }, continuation, flow }: Pick<Arrival, "visitor" | "continuation" | "flow">,
  form: FormSecrets,
  tools: FlowTools,
): Pick<SignInView, "other"> {
  const { problem = null } = again ?? {};
  if (problem?.kind !== "elsewhere" || problem.why !== "other_person" || signedIn === undefined) return {};
  const waits = flow !== undefined || continuation?.kind === "device" || continuation?.kind === "invitation";
  return waits ? { other: { ...form, csrf: formToken(signedIn.session, tools) } } : {};
}

interface WaysToSignIn extends Pick<SignInView, "passkey"> {
  readonly providers: NonNullable<SignInView["providers"]>;
  readonly asksPassword: boolean;
}

/** `confirms`: the person who confirms who they are. They see only what they have. Undefined: anybody. */
async function waysToSignIn(confirms: Person | undefined, visitor: Visitor, tools: FlowTools): Promise<WaysToSignIn> {
  const { elsewhere } = tools;
  const found = await (confirms === undefined ? offeredProviders(elsewhere) : providersOf(confirms, elsewhere));
  const providers = found.map(({ id, name }) => ({ id, name }));
  const passkey = passkeyOffer(visitor, tools);
  if (confirms === undefined || confirms.passwordHash !== null) return { providers, passkey, asksPassword: true };
  const { passkeys } = await waysFor({ person: confirms }, "mfa", tools);
  // Where nothing else is left, an operator may have given them a password a moment ago.
  if (!passkeys && providers.length === 0) return { providers, passkey, asksPassword: true };
  return { providers, passkey: passkeys ? passkey : null, asksPassword: false };
}

/**
 * Who stays signed in while the person signs in with another account, and the path back. Null: nobody is signed in, or
 * the form is not for another account. The first sign-in with the other account ends the session.
 */
function staysSignedIn({ visitor, http, continuation }: Arrival, tools: FlowTools): SignInView["stays"] {
  const switches = http.path === "/login/switch" || (http.method === "POST" && formOf(http).get("switch") === "yes");
  if (visitor.signedIn === undefined || !switches) return null;
  return { person: signedInAs(visitor.signedIn.person), back: onward(continuation, visitor, tools) };
}

/** The address at which that page can be loaded again. `confirms`: somebody is signed in, and signs in once more. */
function hereOf({ device, invitation, to }: FormSecrets, confirms: boolean): string {
  if (device !== undefined) return `/device/consent?device=${device}`;
  if (invitation !== undefined) return `/invitation?token=${invitation}`;
  return to === undefined ? "/login" : `${confirms ? "/account/confirm" : "/login"}?to=${to}`;
}

function waysOf({ mail, config }: FlowTools): { readonly recover: boolean; readonly signUp: boolean } {
  return { recover: mail.enabled, signUp: config.signUp && mail.enabled };
}
