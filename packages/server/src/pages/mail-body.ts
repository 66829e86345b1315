/** E-mails to people: plain text and HTML with the same content, in the reader's language. */
import type { MailDraft, NamedApps } from "../owners/mail/mail-content.ts";
import type { Chrome } from "./chrome.ts";
import { hostPlain } from "./client-host.ts";
import { fill, type Messages, rich, sentences } from "./messages/index.ts";
import { accessEnds, permissionsEnd } from "./parts/access-ends.ts";
import { type Child, html } from "./parts/html.ts";
import { mailDocument } from "./parts/mail-layout.ts";
import { bothNamesText } from "./parts/person-names.ts";
import type { NamedWay } from "./security/recover-account-views.ts";
import { codesAtRecovery, codesReplaced, companyApps, listed, wayName } from "./security/sign-in-way-names.ts";
import { exact } from "./shown-time.ts";
import { visible, webAddress } from "./untrusted-text.ts";

/** The content of a message, before it is written in a language. */
export type MailView = Pick<MailDraft, "kind" | "link" | "values">;

export interface MailWords {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly language: string;
}

/** Maximum number of characters of a text that a stranger chose. */
const LONGEST = 120;
/** Maximum number of characters of a reason or of a list of names. */
const LONGEST_FACT = 4000;

/** Writes a message in the language of `chrome`. Throws a `TypeError` if its link is not a web address. */
export function mailOf(
  view: MailView,
  { issuer, chrome }: { readonly issuer: string; readonly chrome: Chrome },
): MailWords {
  const { words, product } = chrome;
  const link = webAddress(view.link);
  if (link === null) throw new TypeError("the link of a message leads nowhere");
  const said = words.mail.kinds[view.kind];
  const values = shown(view, chrome);
  const say = (text: string): Said => ({ text: fill(text, values), html: rich(text, isolated(values)) });
  const first = firstText(view, words);
  const lines = [...invited(view, values, words), say(first)];
  const isPaused = saysPaused(view);
  if (isPaused) lines.push(say(words.forWhom.pausedNote));
  for (const text of appsEnded(view, chrome)) lines.push({ text, html: text });
  lines.push(...accessRevoked(view, chrome));
  if (view.values.accountStays === true) lines.push(say(words.takeBack.stays));
  if (view.kind === "companyRemoved" && view.values.app !== undefined) lines.push(say(words.mail.removedReturns));
  if (view.kind === "recoveryRenewed")
    for (const text of codesReplaced(view.values.proving, words)) lines.push({ text, html: text });
  if (view.kind === "factorsRestored")
    for (const text of codesAtRecovery(view.values.proving, words)) lines.push({ text, html: text });
  lines.push(...moved(view, values, chrome));
  const told = facts(view, chrome);
  const subject = fill(isPaused ? words.mail.approvedPaused.subject : said.subject, values);
  // A message about something that no page can change has no button.
  const button = "button" in said ? fill(said.button, values) : null;
  const hint = say(forAdmin(view, isPaused, words) ?? (isPaused ? words.mail.approvedPaused.hint : said.hint));
  const footer = fill(words.mail.footer, { product, host: new URL(issuer).host });
  const plain = [...lines.map((line) => line.text), ...told.map(([label, value]) => `${label}: ${value.text}`)];
  const text = [...plain, ...(button === null ? [] : [`${button}:\n${link}`]), hint.text, `-- \n${footer}`].join(
    "\n\n",
  );
  const preview = lines.map((line) => line.text).join(" ");
  const parts = { subject, preview, button, link, footer, hint: hint.html };
  return {
    subject,
    text: `${text}\n`,
    html: mailDocument(
      { ...parts, lines: lines.map((line) => line.html), facts: told.map(([label, value]) => [label, value.html]) },
      chrome,
    ),
    language: words.language,
  };
}

/** The first sentences of a message: for three kinds, they depend on how the person came to what they did. */
function firstText({ kind, values }: MailView, { mail }: Messages): string {
  if (values.seenBefore === true) return mail.signInSeenBefore;
  if (values.replaced === true) return mail.authenticatorReplaced;
  return values.inRecovery === true ? mail.recoveryUsedInRecovery : mail.kinds[kind].text;
}

/** True: a member may use an app that an admin paused. They can't start again before an admin resumes it. */
function saysPaused({ kind, values: { answer } }: MailView): boolean {
  return (kind === "companyApproved" || kind === "companyPartlyApproved") && answer?.paused === true;
}

/** The hint of an answer to a member who is an admin by now, and needs no answer. Undefined: the usual hint holds. */
function forAdmin({ kind, values: { answer } }: MailView, isPaused: boolean, { mail }: Messages): string | undefined {
  if (answer?.admin !== true) return undefined;
  if (isPaused) return mail.decidedForAdmin.paused;
  const hints: Partial<Record<MailView["kind"], string>> = mail.decidedForAdmin;
  return hints[kind];
}

/** Says that all apps lost their access, and when it ends. */
function appsEnded({ kind, values: { appsEnded: all, appsEndIn } }: MailView, chrome: Chrome): readonly string[] {
  const { takeBack, security } = chrome.words;
  const ends = appsEndIn === undefined ? [] : [accessEnds(appsEndIn, chrome)];
  if (kind === "deletion") return ends;
  return all === true ? [takeBack.appsRevoked, ...ends, security.companyAppsEnded] : [];
}

/** One sentence as plain text and as HTML. */
interface Said {
  readonly text: string;
  readonly html: Child;
}

/** Values with their own text direction, so that a right-to-left name doesn't reorder the sentence around it. */
function isolated(values: Readonly<Record<Hole, string>>): Record<string, Child> {
  return Object.fromEntries(Object.entries(values).map(([hole, value]) => [hole, html`<bdi>${value}</bdi>`]));
}

/** Values that strangers chose, on one line and without hidden characters. They can be in the subject, which is a header. */
function shown({ values }: MailView, { words, product }: Chrome): Record<Hole, string> {
  const { person = "", email = "", at, company = "", app = "", by = "", byName = null, key = "", left } = values;
  const name = (text: string) => visible(text, LONGEST);
  return {
    ...{
      person: name(person),
      email: name(email),
      company: name(company),
      app: name(app),
      by: bothNamesText({ username: by, name: byName }),
      product,
    },
    when: at === undefined ? "" : exact(words, at),
    ...{ key: name(key), left: left === undefined ? "" : String(left) },
  };
}

/** Who invites, to which company, and as what. */
function invited(
  { kind, values: { role, was } }: MailView,
  values: Record<Hole, string>,
  { waiting }: Messages,
): readonly Said[] {
  if (kind !== "companyInvitation" || role === undefined) return [];
  const holes = { person: values.by, company: values.company };
  const { person, company } = isolated({ ...values, ...holes });
  const say = (text: string) => ({ text: fill(text, holes), html: rich(text, { person, company }) });
  if (was === undefined) return [say(waiting.invitedBy[role])];
  return [say(was === "member" && role === "admin" ? waiting.promotedBy : waiting.invitedNeedlessly)];
}

/** Says that the account no longer has the reader's address, and how to get it back. */
function moved(
  { values: { moved: left } }: MailView,
  { email }: Record<Hole, string>,
  { words, product }: Chrome,
): readonly Said[] {
  if (left === undefined) return [];
  const { takeBack } = words;
  const holes = { email, product, when: exact(words, left.at) };
  const bidi = { email: html`<bdi>${email}</bdi>`, product: html`<bdi>${product}</bdi>`, when: holes.when };
  const said = [takeBack.moved, left.owed ? takeBack.movedMail : takeBack.movedLate];
  return said.map((one) => ({ text: fill(one, holes), html: rich(one, bidi) }));
}

type Hole = "person" | "email" | "company" | "app" | "by" | "product" | "when" | "key" | "left";

/** Messages about a change that a person made in a browser. */
const ABOUT_FACTORS: ReadonlySet<MailView["kind"]> = new Set([
  ...([
    "passkeyAdded",
    "passkeyRemoved",
    "identityAdded",
    "identityDisconnected",
    "identityRemoved",
    "authenticatorOn",
    "authenticatorOff",
  ] as const),
  ...(["recoveryRenewed", "recoveryUsed", "passwordChanged"] as const),
  ...(["recovered", "factorsRemoved", "factorsRemovedTold", "factorsRestored"] as const),
]);

function facts({ kind, values }: MailView, { words }: Chrome): readonly (readonly [string, Said])[] {
  const { at, browser, address, reason, host = null } = values;
  const labels = words.mail.facts;
  const askedAt = [labels.appAddress, host === null ? null : hostPlain(host, words)] as const;
  const rows: readonly (readonly [string, string | Said | null | undefined])[] =
    kind === "signIn"
      ? [
          [labels.when, at === undefined ? null : exact(words, at)],
          [labels.browser, browser],
          [labels.address, address],
        ]
      : ABOUT_FACTORS.has(kind)
        ? [[labels.browser, browser], [labels.address, address], ...recoveryFacts(values.recovery, words)]
        : kind === "companyRequest"
          ? [askedAt, [labels.reason, reason]]
          : values.answer !== undefined
            ? [...answerFacts(values.answer, words), askedAt]
            : kind === "webhookDisabled"
              ? [[labels.fault, reason]]
              : [];
  return rows.flatMap(([label, value]) => {
    if (value === null || value === undefined || value === "") return [];
    if (typeof value !== "string") return [[label, value] as const];
    const text = visible(value, LONGEST_FACT);
    return [[label, { text, html: html`<bdi>${text}</bdi>` }] as const];
  });
}

/** Says what an admin allowed a member, until when, and what not. */
function answerFacts(
  { allowed, until, refused, waiting }: NonNullable<MailView["values"]["answer"]>,
  words: Chrome["words"],
): readonly (readonly [string, Said | string | null])[] {
  const { company } = words;
  const list = (texts: readonly string[]) =>
    texts.length === 0
      ? null
      : listed(
          texts.map((text) => visible(text, LONGEST)),
          words,
        );
  return [
    [words.mail.facts.allowed, list(allowed)],
    [company.untilWhen, allowed.length === 0 ? null : until === null ? company.untilEnded : exact(words, until)],
    [company.refusedScopes, list(refused)],
    [company.waiting, list(waiting)],
  ];
}

/** Names apps, and companies whose apps they are. Null: none. */
function appList({ names, companies = [], more }: NamedApps, words: Messages): Said | null {
  const shown = [
    ...names.map((one) => visible(one, LONGEST)),
    ...companies.map((company) => companyApps(company, words)),
  ];
  return shown.length === 0 ? null : listed(shown, words, more);
}

/** Says which apps lost access by a recovery, and when it ends. */
function accessRevoked(
  { kind, values: { recovery, appsEndIn, companiesKeep } }: MailView,
  chrome: Chrome,
): readonly Said[] {
  const { words } = chrome;
  if (recovery === undefined) return [];
  const { doneEnded, doneLost, pausedAgain, restoredApps, companiesKeep: kept } = words.takeBack;
  const companies = companiesKeep === true ? [kept] : [];
  const say = (
    apps: NamedApps | undefined,
    message: typeof doneEnded | typeof doneLost | typeof pausedAgain,
    end: typeof permissionsEnd,
  ) => {
    const list = apps === undefined ? null : appList(apps, words);
    if (list === null) return [];
    const ends = appsEndIn === undefined ? null : end(appsEndIn, chrome);
    const html = sentences(words.language, rich(message as typeof doneEnded, { list: list.html }), ends);
    return [{ text: sentences(words.language, fill(message, { list: list.text }), ends).join(""), html }];
  };
  return [
    ...say(recovery.ended, doneEnded, accessEnds),
    ...say(recovery.narrowed, doneLost, permissionsEnd),
    ...say(recovery.pausedAgain, pausedAgain, () => null),
    ...(kind === "factorsRestored" ? [restoredApps, ...companies].map((text) => ({ text, html: text })) : []),
  ];
}

/** Says what a recovery removed, and what remains. */
function recoveryFacts(
  recovery: MailView["values"]["recovery"],
  words: Chrome["words"],
): readonly (readonly [string, Said | null])[] {
  if (recovery === undefined) return [];
  const { facts: labels } = words.mail;
  const ways = (all: readonly NamedWay[]) => list({ names: all.map((way) => wayName(way, words)), more: 0 });
  const list = (apps: NamedApps) => appList(apps, words);
  return [
    [labels.removed, ways(recovery.removed)],
    [labels.back, list({ names: (recovery.back ?? []).map((kind) => words.takeBack.previous[kind]), more: 0 })],
    [labels.kept, ways(recovery.kept)],
    [labels.keptApps, list(recovery.keptApps)],
    [labels.pausedApps, recovery.paused === undefined ? null : list(recovery.paused)],
  ];
}
