/** The consent page: who asks, for what, for how long, as whom, and what happens next (RFC 6749 §4.1, step B). */
import type { Chrome } from "./chrome.ts";
import { clientHost, hostKind, hostWords } from "./client-host.ts";
import {
  earlierKeeps,
  grantedBefore,
  keepsToo,
  nothingNew,
  offersAdmin,
  offersMember,
  pausedText,
  presentEndOf,
  shownCompany,
} from "./consent-before.ts";
import { deviceFacts } from "./device.ts";
import { fill, type Messages, plural, rich, sentences } from "./messages/index.ts";
import { avatar, hidden, localTimes, notice, outsideLink, secrets, tile, titled } from "./parts/components.ts";
import { type Child, html, type Markup } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { cardPage } from "./parts/layout.ts";
import { allowLabel, durationNotes, endingText, ownerSelect } from "./person-or-company-select.ts";
import { clock, durationLabel, month, number, shownTime } from "./shown-time.ts";
import { hostText, mixesAlphabets, NAME_LENGTH, name, visible, webAddress } from "./untrusted-text.ts";
import type { ClientCard, ConsentView, DurationChoice, ScopeChoice, SignedInAs } from "./views.ts";

const CONSENT_FORM = "consent";
const SWITCH_FORM = "switch";
const DURATION_ERROR = "duration-error";
const DURATION_NOTES = "duration-notes";
const ONCE_HINT = "once-hint";
/** The value for an answer that gives no refresh token. */
const ONCE = "once";
/** The value for an answer without an end. */
const FOREVER = "forever";
/** The value for an active scope whose end does not change. */
const KEEP = "keep";
/** The value for the end of the day. */
const TODAY = "today";
/** The permission with which an app keeps access while the owner is away. */
const OFFLINE_ACCESS = "offline_access";

/** Renders the question of an authorization request. The form goes to `/consent`. The link to another account goes to `/login/switch`. */
export function consentPage(view: ConsentView, chrome: Chrome): string {
  const { words, base } = chrome;
  const title = titleOf(view, words);
  const { problem } = view;
  const resumes = view.pausedAt !== undefined;
  const alert = problem === null ? null : alertOf(problem.kind, view, words);
  return cardPage(
    chrome,
    titled(fill(title, { app: visible(view.client.name, NAME_LENGTH) }), problem !== null, words),
    html`<div class="stack">
      <div class="heading asking">
        ${tile(view.client, "small", base)}
        <h1>${rich(title, { app: name(view.client.name) })}</h1>
        <div class="origin">${clientHost(view.client.document ?? view.client.host, words)} ${verification(view.client, chrome)}</div>
        ${!view.client.verified && !saysMore(view) && html`<p class="soft small">${unverifiedText(view, chrome)}</p>`}
      </div>
      ${stranger(view.client, chrome)}
      ${view.formerName !== undefined && notice("warning", sentences(words.language, rich(words.consent.changedLook, { name: name(view.formerName) }), earlierKeeps(view, words)))}
      ${mixesAlphabets(view.client.name) && notice("warning", words.consent.lookalike)}
      ${view.endedHere === true && notice("warning", sentences(words.language, words.consent.endedHere, earlierKeeps(view, words)))}
      ${view.newHost !== undefined && newAddress(view.newHost, earlierKeeps(view, words), words)}
      ${view.pausedAt !== undefined && notice("warning", pausedText(view, view.pausedAt, words))}
      ${view.device !== undefined && deviceFacts(view.device, chrome, words.consent.deny)}
      ${view.leavesAt !== undefined && notice("warning", rich(words.consent.leaving, { when: shownTime(words, view.leavesAt, "exact") }))}
      ${view.isNewcomer === true && notice("plain", words.consent.newcomer)}
      ${alert !== null && notice("danger", alert, { focus: true })}
      ${/* Enter in a field presses the form's first button. This button closes a dialog that doesn't exist, so Enter does nothing. Only Allow allows. */ ""}
      <button class="unseen" type="submit" form=${CONSENT_FORM} formmethod="dialog" tabindex="-1" aria-hidden="true"></button>
      <form id=${CONSENT_FORM} class="consent" method="post" action=${`${base}${view.device === undefined ? "/consent" : "/device/consent"}`}>
        ${secrets(view.form)} ${asWhom(view.person, chrome)} ${shownOwner(view)}
        ${view.resume !== undefined && hidden({ resume: view.resume })}
        ${ownerSelect(view.owners ?? [], { app: view.client.name, problem: problem?.kind === "bad_owner" ? problem : null, resumes }, words)} ${scopeSections(view, words)}
        ${!resumes && keepsToo(view, words)}
        ${choosesDuration(view) && duration(view, words)}
        ${offersToday(view) && hidden({ today_until: String(view.todayUntil) })}
        ${view.away === "always" && html`<p class="soft small">${endingText(view.owners, words.agents.awayAlways, words.agents.awayAlwaysEnd)}</p>`} ${next(view, words)}
        <div class="decision">
          <button class="button" type="submit" name="decision" value="allow">${icon("check")}${allowLabel(view.owners ?? [], resumes, words)}</button>
          <button class="button" type="submit" name="decision" value="deny">${icon("x")}${words.consent.deny}</button>
        </div>
      </form>
      ${about(view.client, words)}
      <form id=${SWITCH_FORM} method="post" action=${`${base}/login/switch`} hidden>${secrets(view.form)}</form>
      ${view.device === undefined && (showsEnds(view) || (view.pausedAt ?? view.leavesAt) !== undefined || offersToday(view)) && localTimes(chrome)}
    </div>`,
    { roomy: true },
  );
}

function offersToday(view: ConsentView): boolean {
  return view.todayUntil !== undefined && choosesDuration(view);
}

function showsEnds({ scopes, owners = [], notAsked = [], backForAll = [] }: ConsentView): boolean {
  return (
    [...notAsked, ...backForAll].some(({ endsAt }) => endsAt !== null) ||
    scopes.some(
      ({ endsAt, onceUntil, keptUntil, awayUntil }) =>
        typeof (onceUntil ?? keptUntil ?? awayUntil ?? endsAt) === "number",
    ) ||
    owners.some(({ endsBy, standsUntil }) => (endsBy ?? standsUntil) !== undefined)
  );
}

/** The message above the question. Null if the message stands at its field. */
function alertOf(kind: NonNullable<ConsentView["problem"]>["kind"], view: ConsentView, words: Messages) {
  // Without other owners there is no field.
  if (kind === "bad_owner") return (view.owners ?? []).length > 0 ? null : words.forWhom.gone;
  if (kind === "other_owner") return words.consent.otherOwner;
  if (kind !== "bad_duration") return words.consent[kind];
  return choosesDuration(view) ? null : words.consent.badDuration;
}

/** Maximum number of earlier addresses shown. */
const HOSTS_SHOWN = 3;

/** Shows the app's new address and the addresses that the owner allowed before, in plain text. */
function newAddress({ host, before }: NonNullable<ConsentView["newHost"]>, earlier: Child, words: Messages): Markup {
  const { consent, apps } = words;
  const more = before.length - HOSTS_SHOWN;
  const known = before.slice(0, HOSTS_SHOWN).map((one) => html`<dd>${hostWords(one, words)}</dd>`);
  return html`<div class="notice warning">
    ${icon("alert")}
    <div>
      <p>${sentences(words.language, before.length === 0 ? consent.newHostOnly : consent.newHost, earlier)}</p>
      <dl class="addresses">
        ${
          before.length > 0 &&
          html`<div>
            <dt>${consent.hostsBefore}</dt>
            ${known} ${more > 0 && html`<dd>${fill(plural(words.language, apps.more, more), { count: more })}</dd>`}
          </div>`
        }
        <div>
          <dt>${consent.hostNew}</dt>
          <dd><strong>${hostWords(host, words)}</strong></dd>
        </div>
      </dl>
    </div>
  </div>`;
}

/** True: the app only wants to know who the person is. There is nothing to choose but yes or no, and for how long. */
function isSignInOnly({ scopes }: ConsentView): boolean {
  return scopes.every(({ signIn = false, required }) => signIn && required);
}

/** Where the person can choose for whom, the title names nobody: without a script, it can't follow the menu. */
function titleOf(view: ConsentView, { consent }: Messages) {
  if (isSignInOnly(view)) return consent.titleSignIn;
  if ((view.owners ?? []).length > 0) return consent.titleChoice;
  if (view.allGranted) return consent.titleAgain;
  return view.scopes.some((scope) => scope.granted) ? consent.titleMore : consent.title;
}

/** New scopes come first. Scopes that were granted before are in a closed section below them. */
function scopeSections(view: ConsentView, words: Messages): Child {
  const old = view.scopes.filter((scope) => scope.granted);
  const fresh = view.scopes.filter((scope) => !scope.granted);
  const company = shownCompany(view);
  if (fresh.length === 0) {
    const title =
      company === undefined
        ? words.consent.whatAgain
        : rich(words.consent.forCompany.whatAgain, { company: name(company) });
    return html`<section class="what"><h2>${title}</h2>${changesOthers(view, words)}${groups(old, view, words)}</section>`;
  }
  const count = old.length;
  return html`<section class=${count > 0 ? "what fresh" : "what"}>
    <h2>${count > 0 ? words.consent.whatMore : words.consent.what}</h2>
    ${groups(fresh, view, words)}
    ${count > 0 && fresh.every(({ required }) => !required) && nothingNew(view, words)}
    ${
      count > 0 &&
      html`<details class="fold">
        <summary>
          ${icon("chevronDown")}
          <span>${grantedBefore(old, view, words)}</span>
        </summary>
        <p class="soft small">${words.consent.grantedKeep}</p>
        ${changesOthers(view, words)}
        ${groups(old, view, words)}
      </details>`
    }
  </section>`;
}

/** Says at which other addresses of the app a change of the given scopes counts, too. */
function changesOthers({ otherHosts = [] }: ConsentView, words: Messages): Markup | null {
  if (otherHosts.length === 0) return null;
  const hosts = otherHosts.map((host, at) => [at > 0 && ", ", hostWords(host, words)]);
  return html`<p class="soft small">${rich(words.consent.grantedOthers, { hosts })}</p>`;
}

/**
 * One group for each API, in the order of the request. In each group, reading comes first, then changing, then deleting.
 * The API's name is always shown, because it stands nowhere else on the page.
 */
function groups(scopes: readonly ScopeChoice[], view: ConsentView, words: Messages): Child {
  const byApi = Map.groupBy(scopes, (scope) => scope.api);
  const company = shownCompany(view);
  const own = (view.owners ?? []).length > 0 ? words.consent.accountFor : words.consent.account;
  const account = company === undefined ? own : name(company);
  return [...byApi].map(
    ([api, members]) =>
      html`<fieldset class="group">
        <legend>${api === null ? account : name(api)}</legend>
        <ul>${members.toSorted(byAccess).map((scope) => scopeRow(scope, view, words))}</ul>
      </fieldset>`,
  );
}

const ACCESS_ORDER = [null, "read", "write", "delete"];

function byAccess(one: ScopeChoice, other: ScopeChoice): number {
  return ACCESS_ORDER.indexOf(one.access) - ACCESS_ORDER.indexOf(other.access);
}

function scopeRow(scope: ScopeChoice, view: ConsentView, words: Messages): Markup {
  if (isSignInOnly(view)) {
    return html`<li class="permission">
      <span class="choice">
        ${icon("check")}
        <span class="choice-text"><span><bdi>${visible(scope.description)}</bdi></span>${presentEndOf(scope, view, words)}</span>
      </span>
    </li>`;
  }
  return html`<li class="permission">
    <label class="choice">
      <input type="checkbox" name="scope" value=${scope.name} checked=${scope.checked || scope.required} disabled=${scope.required} />
      <span class="choice-text">
        <span><bdi>${visible(scope.description || scope.name)}</bdi></span>
        ${scope.sensitive && html`<span class="tag warn">${icon("alert")}${words.consent.sensitive}</span>`}
        ${scope.required && html`<span class="tag">${words.consent.required}</span>`}
        ${scope.declined === true && html`<span class="tag">${words.consent.declinedBefore}</span>`}
        ${view.away === "scope" && scope.name === OFFLINE_ACCESS && html`<span class="soft small">${endingText(view.owners, words.agents.away, words.agents.awayEnd)}</span>`}
        ${presentEndOf(scope, view, words)}
      </span>
    </label>
    ${hasOwnEnd(scope, view) && ownEnd(scope, view, words)}
  </li>`;
}

/** The owner whose permissions the page shows. The answer can be for another owner. */
function shownOwner({ owners = [] }: ConsentView): Child {
  const shown = owners.find(({ selected }) => selected);
  return shown !== undefined && hidden({ shown_owner: shown.value });
}

/** If nothing is new, there is no duration to choose. But something can be new for another owner than the shown one. */
function choosesDuration({ scopes, owners = [] }: ConsentView): boolean {
  return owners.length > 0 || scopes.some(({ granted }) => !granted);
}

/** True: what the owner allowed holds for other addresses alone, or from when the app looked different. */
function isAnew({ newHost, formerName, endedHere }: ConsentView): boolean {
  return newHost !== undefined || formerName !== undefined || endedHere === true;
}

function duration(view: ConsentView, words: Messages): Markup {
  const wrong = view.problem?.kind === "bad_duration";
  const old = view.scopes.some(({ granted }) => granted);
  const notes = durationNotes(view.owners ?? [], words);
  const once = view.durations.some(({ value }) => value === ONCE);
  const ids = [
    [once, ONCE_HINT] as const,
    [notes.length > 0, DURATION_NOTES] as const,
    [wrong, DURATION_ERROR] as const,
  ];
  const described = ids.flatMap(([shown, id]) => (shown ? [id] : [])).join(" ");
  return html`<div class="field">
    <label for="duration">${isAnew(view) ? words.consent.durationAnew : old ? words.consent.durationNew : words.consent.duration}</label>
    <div class="select">
      <select id="duration" name="duration" autofocus=${wrong}
        ...${{ ...(described === "" ? {} : { "aria-describedby": described }), ...(wrong ? { "aria-invalid": "true" } : {}) }}>
        ${view.durations.map((choice) =>
          choice.value === TODAY
            ? today(choice, view, words)
            : html`<option value=${choice.value} selected=${choice.selected}>${choiceLabel(choice.value, view, words)}</option>`,
        )}
      </select>
      ${icon("chevronDown")}
    </div>
    ${once && html`<p class="soft small" id=${ONCE_HINT}>${onceHint(view, words)}</p>`}
    ${notes.length > 0 && html`<div class="owner-notes soft small" id=${DURATION_NOTES}>${notes}</div>`}
    ${
      wrong &&
      html`<p class="field-error" id=${DURATION_ERROR} role="alert">${icon("circleAlert")}<span>${words.consent.badDuration}</span></p>`
    }
  </div>`;
}

/** The label of a duration. */
function choiceLabel(value: string, view: ConsentView, words: Messages): string {
  return value === FOREVER && offersMember(view) ? words.duration.untilEnded : durationLabel(words, value);
}

/** How long `once` lasts. The style sheet shows it only if `once` is chosen; a browser without :has() shows it always. */
function onceHint({ onceSeconds }: ConsentView, words: Messages): string {
  const time = durationLabel(words, String(onceSeconds));
  return fill(words.consent.onceHint, { once: durationLabel(words, ONCE), time });
}

/** The end of the day. The text and the field `today_until` say the same end, and the answer holds until exactly then. */
function today({ value, selected }: DurationChoice, { todayUntil = 0, now }: ConsentView, words: Messages): Markup {
  const text = words.agents.today;
  return html`<option value=${value} selected=${selected} data-today=${text} data-now=${String(now)}>
    ${fill(text, { time: clock(words, todayUntil) })}
  </option>`;
}

/** A new scope that is alone needs no end of its own: the choice for all is its end. An active scope keeps its own. */
function hasOwnEnd({ granted }: ScopeChoice, { scopes, owners = [] }: ConsentView): boolean {
  return granted || scopes.length > 1 || owners.length > 0;
}

/**
 * The menu for the end of one scope. Its first choice changes nothing: a new scope ends as chosen for all, an active one
 * keeps its end. A device has no `once` for a single scope; an active scope has none either.
 */
function ownEnd(scope: ScopeChoice, view: ConsentView, words: Messages): Markup {
  const { granted, duration: own } = scope;
  const fixed = view.durations.filter(({ value }) => value !== TODAY);
  const offered = fixed.filter(({ value }) => value !== ONCE || (!granted && view.device === undefined));
  return html`<label class="row-end">
    <span class="unseen">${words.consent.endOne}: <bdi>${visible(scope.description || scope.name)}</bdi></span>
    <span class="select">
      <span class="row-end-word" aria-hidden="true">${words.consent.endShort}</span>
      <select name=${`duration:${scope.name}`}>
        <option value=${granted ? KEEP : ""} selected=${own === null}>${granted ? words.consent.durationKeep : words.consent.durationSame}</option>
        ${offered.map(
          ({ value }) =>
            html`<option value=${value} selected=${own === value}>${choiceLabel(value, view, words)}</option>`,
        )}
      </select>
      ${icon("chevronDown")}
    </span>
  </label>`;
}

function asWhom(person: SignedInAs, { words, base }: Chrome): Markup {
  const shown = person.name || person.username;
  return html`<div class="person">
    ${avatar(person, base)}
    <p>
      <span class="unseen">${words.consent.asWhom} </span>
      <span class="person-name">${name(shown)}${shown !== person.username && [" ", html`<span class="soft">${name(person.username)}</span>`]}</span>
    </p>
    <button class="link" type="submit" form=${SWITCH_FORM}>${words.consent.switch}</button>
  </div>`;
}

function next(view: ConsentView, words: Messages): Markup {
  const {
    client: { host },
    scopes,
  } = view;
  const where =
    host === null
      ? words.device.next
      : hostKind(host) === "web"
        ? rich(words.consent.nextWeb, { host: hostText(host) })
        : words.consent.nextDevice;
  // In a company, the ticks are about the reader alone. A pause ends for everybody there.
  const isChoice = view.backForAll === undefined && scopes.some(({ required }) => !required);
  const keeps = hasAccess(view);
  const isAll = view.allGranted && scopes.every(({ keptUntil }) => keptUntil === undefined);
  const apps = html`<strong>${words.consent.apps}</strong>`;
  const companies = html`<strong>${words.company.yours}</strong>`;
  const { nextUndo, nextUndoOwners, nextUndoMember, nextUndoMixed } = words.consent;
  const undo = !offersMember(view)
    ? rich(offersAdmin(view) ? nextUndoOwners : nextUndo, { apps, companies })
    : rich(offersAdmin(view) ? nextUndoMixed : nextUndoMember, { apps, companies });
  // The notice of a pause says what a refusal does.
  const refusal = view.pausedAt !== undefined ? [] : [refusalSays(view, keeps, words)];
  return html`<p class="next">
    ${sentences(words.language, ...(isChoice ? [tickedSays(view, keeps && isAll, words)] : []), where, ...refusal, undo)}
  </p>`;
}

function refusalSays(view: ConsentView, keeps: boolean, { consent }: Messages): string {
  if (view.keepsByPolicy === true) return consent.nextDenyPolicy;
  if (!keeps) return view.owners?.length ? consent.nextDenyAny : consent.nextDeny;
  const { awayUntil, keptUntil } = view.scopes.find(({ name }) => name === OFFLINE_ACCESS) ?? {};
  return awayUntil !== undefined || keptUntil !== undefined ? consent.nextDenyKeepsAway : consent.nextDenyKeeps;
}

/**
 * What the ticks are about. The app can have more that it doesn't ask for now. A company can allow more, which the app gets later
 * without an answer; the page says so at the choice of the owner.
 */
function tickedSays({ owners = [], notAsked = [] }: ConsentView, keeps: boolean, { consent }: Messages): string {
  if (notAsked.length > 0) return keeps ? consent.nextTickedKeepsOfAsked : consent.nextTickedOfAsked;
  if (keeps) return consent.nextTickedKeeps;
  return owners.some(({ later = [] }) => later.length > 0) ? consent.nextTickedNow : consent.nextTicked;
}

/** True: the app has access, for the only owner whom the answer can be for. A refusal leaves it as it is. */
function hasAccess({ scopes, owners = [], pausedAt, keepsAccess = false }: ConsentView): boolean {
  return (keepsAccess || scopes.some(({ granted }) => granted)) && owners.length === 0 && pausedAt === undefined;
}

/** Says whether the operator has checked the app, or only the app itself makes its statements. Nobody checks the server's own. */
function verification(client: ClientCard, { words, product }: Chrome): Markup {
  if (client.isCommand === true)
    return html`<p class="standing">${icon("badgeCheck")}<span>${fill(words.consent.commandLine, { product })}</span></p>`;
  return client.verified
    ? html`<p class="standing">${icon("badgeCheck")}<span>${fill(words.consent.verified, { product })}</span></p>`
    : html`<p class="standing unverified">${icon("circleAlert")}<span>${fill(words.consent.unverified, { product })}</span></p>`;
}

/** Says that nobody checked the app, and what the person can compare themselves. */
function unverifiedText({ client: { host, isCommand }, device }: ConsentView, { words, product }: Chrome): Child {
  const { consent } = words;
  const compare =
    device !== undefined || host === null
      ? consent.compareCode
      : hostKind(host) === "web"
        ? rich(consent.compareHost, { host: hostText(host) })
        : consent.compareStart;
  // Anybody can send a person the code of a command that they started.
  if (isCommand === true) return compare;
  return sentences(words.language, fill(consent.unverifiedText, { product }), compare);
}

/** True: the notice about an unknown app on this device already has all that `unverifiedText` would say. */
function saysMore({ client: { document = null, registeredItself = false, host }, device }: ConsentView): boolean {
  return (document !== null || registeredItself) && device === undefined && host !== null && hostKind(host) !== "web";
}

/** Says that no operator knows the app, and where its answer goes if not to the host of its document. */
function stranger(
  { document = null, registeredItself = false, host }: ClientCard,
  { words, product }: Chrome,
): Markup | null {
  const { consent } = words;
  if (registeredItself) {
    const device = host !== null && hostKind(host) !== "web";
    const goes = device ? rich(consent.documentDevice, { host: hostWords(host, words) }) : null;
    return notice("warning", sentences(words.language, fill(consent.registeredIntro, { product }), goes));
  }
  if (document === null) return null;
  const kind = host === null ? null : hostKind(host);
  const goes =
    host === null || host === document
      ? null
      : kind === "web"
        ? rich(consent.documentElsewhere, { host: hostText(host) })
        : rich(consent.documentDevice, { host: hostWords(host, words) });
  const who = rich(consent.documentIntro, { host: hostText(document), product });
  return notice("warning", sentences(words.language, who, goes));
}

/** Facts about the app, and links to the pages that it publishes about itself. */
function about(client: ClientCard, words: Messages): Markup {
  const { consent } = words;
  const facts: readonly (readonly [string, Child])[] = [
    ...(client.publisher === null ? [] : [[consent.publisher, name(client.publisher)] as const]),
    ...(client.since === null ? [] : [[consent.since, month(words, client.since)] as const]),
    ...(client.people === null ? [] : [[consent.people, people(client.people, words)] as const]),
  ];
  const links = [
    [client.policyUri, consent.policy],
    [client.tosUri, consent.terms],
  ] as const;
  const shown = links.filter(([uri]) => webAddress(uri) !== null);
  return html`<section class="about">
    <h2>${rich(consent.about, { app: name(client.name) })}</h2>
    <dl class="about-facts">
      ${facts.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}
    </dl>
    ${shown.length > 0 && html`<p class="promises">${shown.map(([uri, text]) => [" ", outsideLink(words, uri, text)])}</p>`}
  </section>`;
}

function people(over: number, words: Messages): string {
  if (over === 0) return words.consent.peopleFew;
  return fill(words.consent.peopleOver, { count: number(words, over) });
}
