/** A company's own sign-in provider: its settings, what a try has shown, and the question before it is removed. */
import type { Chrome } from "../chrome.ts";
import { fill, plural, rich } from "../messages/index.ts";
import { hidden, notice } from "../parts/components.ts";
import { field, fieldError, tick } from "../parts/fields.ts";
import { type Attributes, type Child, html, type Markup } from "../parts/html.ts";
import { timeElement } from "../shown-time.ts";
import { NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import { askButton, companyPage, companyPath, oneButton } from "./company-layout.ts";
import type {
  OwnProviderForm,
  OwnProviderView,
  OwnSignInNotice,
  RemoveOwnProviderView,
  TriedProviderView,
} from "./own-sign-in-views.ts";

const REFUSALS: readonly OwnSignInNotice[] = ["changed", "tooOften", "notNow"];

/** Renders `GET /company/{slug}/provider` and every response of its forms that isn't a redirect. */
export function ownProviderPage(view: OwnProviderView, chrome: Chrome): string {
  const { words } = chrome;
  const own = words.companySignIn;
  const { said, connected } = view;
  const names = { company: name(view.company.name) };
  const refused = said !== null && REFUSALS.includes(said);
  const content = [
    said !== null &&
      (refused ? notice("danger", own.notices[said], { focus: true }) : notice("done", own.notices[said])),
    html`<section class="stack" aria-labelledby="own">
      <h2 id="own">${own.heading}</h2>
      <p>${own.intro}</p>
      <p class="soft">${own.rule}</p>
      ${!view.allowed && notice("plain", own.denied)}
      ${
        view.domains.length === 0
          ? notice("plain", rich(own.noDomains, names))
          : html`<dl class="facts"><div><dt>${own.domains}</dt><dd>${texts(view.domains.map((one) => `@${one}`))}</dd></div></dl>`
      }
    </section>`,
    connected !== null && state(view, connected, chrome),
    (view.allowed || connected === null) && settings(view, chrome),
    connected !== null &&
      html`<div>${askButton(`${companyPath(view, chrome)}/provider/remove`, {}, { text: own.remove, about: name(connected.name) })}</div>`,
  ];
  return companyPage(view, "signIn", own.title, content, chrome, refused || view.faults.length > 0);
}

type Connected = NonNullable<OwnProviderView["connected"]>;

function state(view: OwnProviderView, connected: Connected, chrome: Chrome): Markup {
  const { words } = chrome;
  const own = words.companySignIn;
  const path = `${companyPath(view, chrome)}/provider`;
  const fields = { csrf: view.csrf, seen: String(view.seen ?? "") };
  const { on, waits, triedAt } = connected;
  const address = (label: string, text: string) =>
    html`<div><p class="soft small">${label}</p><p><code class="secret-link" dir="ltr">${text}</code></p></div>`;
  return html`<section class="card panel stack" aria-labelledby="state">
    <h2 id="state">${name(connected.name)}</h2>
    <p>${on ? own.on : own.off}</p>
    ${on && address(own.address, connected.address)}
    <h3>${own.register}</h3>
    ${address(own.redirectUri, connected.redirectUri)} ${address(own.logoutUri, connected.logoutUri)}
    ${triedAt !== null && html`<p>${rich(own.tried, { when: timeElement(words, triedAt, view.now) })}</p>`}
    <p class="soft small">${own.tryText}</p>
    ${oneButton(`${path}/try`, { csrf: view.csrf }, { text: own.tryIt })}
    ${on ? html`<p class="soft small">${own.offText}</p>` : waits === null && html`<p>${own.onText}</p>`}
    ${waits === "try" && html`<p>${own.needsTry}</p>`}
    ${waits === "way_in" && notice("plain", own.needsWayIn)}
    ${
      on
        ? oneButton(`${path}/switch`, { ...fields, on: "no" }, { text: own.switchOff, kind: "danger" })
        : waits === null &&
          view.allowed &&
          oneButton(`${path}/switch`, { ...fields, on: "yes" }, { text: own.switchOn })
    }
  </section>`;
}

function settings(view: OwnProviderView, chrome: Chrome): Markup {
  const own = chrome.words.companySignIn;
  const { form, connected } = view;
  const fault = (...which: OwnProviderView["faults"]) => {
    const found = which.find((one) => view.faults.includes(one));
    return found === undefined ? null : found === "fixed" ? own.fixed : own.faults[found];
  };
  const plain = { type: "text", autocomplete: "off" } as const;
  const claimsHint = rich(own.claimsHint, { example: code("email_verified=xms_edov"), fields: code(view.claimFields) });
  const secretHint = connected?.hasSecret === true ? { hint: own.secretKept } : {};
  return html`<form class="card panel fields" method="post" action=${`${companyPath(view, chrome)}/provider`} novalidate>
    <h2>${own.settings}</h2>
    ${hidden({ csrf: view.csrf, seen: view.seen === null ? "" : String(view.seen) })}
    ${field({ ...plain, name: "name", label: own.name, value: form.name, hint: own.nameHint, error: fault("name") })}
    ${field({
      ...{ ...plain, type: "url", name: "issuer", label: own.issuer, value: form.issuer },
      ...{ hint: own.issuerHint, error: fault("issuer", "own", "fixed") },
    })}
    ${field({ ...plain, technical: true, name: "client_id", label: own.clientId, value: form.clientId, error: fault("clientId") })}
    ${field({
      ...{ name: "client_secret", label: own.clientSecret, type: "text", autocomplete: "off", optional: true },
      ...{ ...secretHint, technical: true, error: fault("clientSecret") },
    })}
    ${field({ ...plain, technical: true, name: "scope", label: own.scopes, value: form.scopes, hint: own.scopesHint, error: fault("scope") })}
    ${lines("claims", own.claims, form.claims, claimsHint, fault("claims"))}
    <div class="ticks">${tick("follow", own.follow, form.follow, own.followHint)}</div>
    ${roles(form, fault, chrome)}
    <button class="button primary" type="submit">${connected === null ? own.connect : own.save}</button>
  </form>`;
}

type FaultOf = (...which: OwnProviderView["faults"]) => string | null;

function roles(form: OwnProviderForm, fault: FaultOf, { words }: Chrome): Markup {
  const own = words.companySignIn;
  const groups = fault("groups");
  return html`<fieldset class="group choices">
    <legend>${own.roles}</legend>
    ${radio("roles", "hand", !form.byGroups, own.byHand)} ${radio("roles", "groups", form.byGroups, own.byGroups)}
    <div class="fields when-groups">
      ${field({ ...{ name: "claim", label: own.claim, type: "text", autocomplete: "off", technical: true }, value: form.claim, error: fault("claim") })}
      ${lines("admin_groups", own.adminGroups, form.adminGroups, own.groupsHint, groups)}
      ${lines("member_groups", own.memberGroups, form.memberGroups, own.groupsHint, null)}
      <fieldset class="group choices">
        <legend>${own.others}</legend>
        ${radio("others", "refuse", form.others === "refuse", own.othersRefused)}
        ${radio("others", "member", form.others === "member", own.othersMembers)}
      </fieldset>
      <p class="soft small">${own.lastAdmin}</p>
    </div>
  </fieldset>`;
}

function radio(field: string, value: string, checked: boolean, label: string): Markup {
  return html`<label class="choice">
    <input type="radio" name=${field} value=${value} checked=${checked} />
    <span class="choice-text"><span>${label}</span></span>
  </label>`;
}

function lines(id: string, label: string, value: string, hint: Child, error: string | null): Markup {
  const described = error === null ? `${id}-hint` : `${id}-hint ${id}-error`;
  const attributes: Attributes = error === null ? {} : { "aria-invalid": "true", autofocus: true };
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <p class="soft small" id=${`${id}-hint`}>${hint}</p>
    <textarea id=${id} name=${id} rows="3" spellcheck="false" autocomplete="off" autocapitalize="none" dir="auto"
      aria-describedby=${described} ...${attributes}>${value}</textarea>
    ${error !== null && fieldError(`${id}-error`, error)}
  </div>`;
}

function code(text: string): Markup {
  return html`<code dir="ltr">${text}</code>`;
}

function texts(all: readonly string[]): Child {
  return all.map((one) => html`<div><bdi>${visible(one, 200)}</bdi></div>`);
}

/** What the provider said about the admin who tried it. */
export function triedProviderPage(view: TriedProviderView, chrome: Chrome): string {
  const own = chrome.words.companySignIn;
  const { result } = view;
  const back = html`<p><a class="button" href=${`${companyPath(view, chrome)}/provider`}>${own.back}</a></p>`;
  const content =
    result === null
      ? html`<section class="stack">${notice("danger", own.failedText, { focus: true })} ${back}</section>`
      : html`<section class="card panel stack" aria-labelledby="worked">
          <h2 id="worked">${own.worked}</h2>
          <p>${own.workedText}</p>
          <dl class="facts">
            <div><dt>${own.subject}</dt><dd>${texts([result.subject])}</dd></div>
            <div><dt>${own.email}</dt><dd>${email(result, own)}</dd></div>
            ${result.groups !== null && html`<div><dt>${own.groups}</dt><dd>${result.groups.length === 0 ? own.none : texts(result.groups)}</dd></div>`}
            <div><dt>${own.role}</dt><dd>${result.role === null ? own.noRole : chrome.words.company.roles[result.role]}</dd></div>
          </dl>
          ${back}
        </section>`;
  return companyPage(view, "signIn", result === null ? own.failed : own.worked, content, chrome, result === null);
}

function email(
  { email: address, verified, counts }: NonNullable<TriedProviderView["result"]>,
  own: Chrome["words"]["companySignIn"],
): Child {
  if (address === null) return own.none;
  const why = counts ? null : verified ? own.otherDomain : own.unverified;
  return [texts([address]), why !== null && html`<p class="soft small">${why}</p>`];
}

/** Renders `GET /company/{slug}/provider/remove`. */
export function removeOwnProviderPage(view: RemoveOwnProviderView, chrome: Chrome): string {
  const { words } = chrome;
  const own = words.companySignIn;
  const { people, stranded } = view;
  const path = `${companyPath(view, chrome)}/provider`;
  const counted = (forms: typeof own.people | typeof own.stranded, count: number) =>
    html`<p>${fill(plural(words.language, forms, count), { count })}</p>`;
  const content = html`<section class="card panel stack" aria-labelledby="question">
    <h2 id="question">${rich(own.removeTitle, { provider: name(view.provider) })}</h2>
    <p>${own.removeText}</p>
    ${people > 0 && counted(own.people, people)} ${stranded > 0 && counted(own.stranded, stranded)}
    ${people > 0 && html`<p class="soft small">${own.again}</p>`}
    <form class="fields" method="post" action=${`${path}/remove`}>
      ${hidden({ csrf: view.csrf, seen: String(view.seen) })}
      <div class="row-actions">
        <button class="button danger" type="submit"><span>${own.remove}</span></button>
        <a class="button" href=${path}>${words.company.confirm.cancel}</a>
      </div>
    </form>
  </section>`;
  const title = fill(own.removeTitle, { provider: visible(view.provider, NAME_LENGTH) });
  return companyPage({ ...view, notice: null }, "signIn", title, content, chrome);
}
