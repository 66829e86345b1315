/** E-mails to people: plain text and HTML with the same content, in the reader's language. */
import type { MailDraft, NamedApps } from "../owners/mail/mail-content.ts";
import type { Chrome } from "./chrome.ts";
import { fill, type Messages } from "./messages/index.ts";
import { html, renderDocument } from "./parts/html.ts";
import { bothNamesText } from "./parts/person-names.ts";
import type { NamedWay } from "./security/recover-account-views.ts";
import { listed, wayName } from "./security/sign-in-way-names.ts";
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
  const subject = fill(said.subject, values);
  const first = view.values.seenBefore === true ? words.mail.signInSeenBefore : said.text;
  const lines = [...invited(view, values, words), fill(first, values), ...facts(view, chrome)];
  if (view.values.appsEnded === true) lines.push(words.takeBack.appsRevoked, words.security.companyAppsEnded);
  const button = fill(said.button, values);
  const hint = fill(said.hint, values);
  const footer = fill(words.mail.footer, { product, host: new URL(issuer).host });
  const text = [...lines, `${button}:\n${link}`, hint, `-- \n${footer}`].join("\n\n");
  return {
    subject,
    text: `${text}\n`,
    html: document({ subject, lines, button, link, hint, footer }, chrome),
    language: words.language,
  };
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
  { kind, values: { role } }: MailView,
  { by, company }: Record<Hole, string>,
  { waiting }: Messages,
): string[] {
  return kind !== "companyInvitation" || role === undefined
    ? []
    : [fill(waiting.invitedBy[role], { person: by, company })];
}

type Hole = "person" | "email" | "company" | "app" | "by" | "product" | "when" | "key" | "left";

/** Messages about a change that a person made in a browser. */
const ABOUT_FACTORS: ReadonlySet<MailView["kind"]> = new Set([
  ...([
    "passkeyAdded",
    "passkeyRemoved",
    "identityAdded",
    "identityRemoved",
    "authenticatorOn",
    "authenticatorOff",
  ] as const),
  ...(["recoveryRenewed", "recoveryUsed", "passwordChanged"] as const),
  ...(["recovered", "factorsRemoved", "factorsRemovedTold", "factorsRestored"] as const),
]);

function facts({ kind, values }: MailView, { words }: Chrome): string[] {
  const { at, browser, address, reason } = values;
  const labels = words.mail.facts;
  const rows: readonly (readonly [string, string | null | undefined])[] =
    kind === "signIn"
      ? [
          [labels.when, at === undefined ? null : exact(words, at)],
          [labels.browser, browser],
          [labels.address, address],
        ]
      : ABOUT_FACTORS.has(kind)
        ? [[labels.browser, browser], [labels.address, address], ...recoveryFacts(values.recovery, words)]
        : kind === "companyRequest"
          ? [[labels.reason, reason]]
          : [];
  const told = rows.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return told.map(([label, value]) => `${label}: ${visible(value ?? "", LONGEST_FACT)}`);
}

/** Says what a recovery removed and ended, and what remains. */
function recoveryFacts(
  recovery: MailView["values"]["recovery"],
  words: Chrome["words"],
): readonly (readonly [string, string | null])[] {
  if (recovery === undefined) return [];
  const { facts: labels } = words.mail;
  const ways = (all: readonly NamedWay[]) => list({ names: all.map((way) => wayName(way, words)), more: 0 });
  const list = ({ names, more }: NamedApps) => {
    const shown = names.map((one) => visible(one, LONGEST));
    return names.length === 0 ? null : listed(more === 0 ? shown : [...shown, `+${more}`], words);
  };
  return [
    [labels.removed, ways(recovery.removed)],
    [labels.kept, ways(recovery.kept)],
    [labels.ended, list(recovery.ended)],
    [labels.keptApps, list(recovery.keptApps)],
  ];
}

interface Parts {
  readonly subject: string;
  readonly lines: readonly string[];
  readonly button: string;
  readonly link: string;
  readonly hint: string;
  readonly footer: string;
}

const BODY =
  "margin:0;padding:24px 12px;background:#f4f6f5;color:#16201c;font:16px/1.5 system-ui,'Segoe UI',Roboto,Arial,sans-serif";
const CARD =
  "max-width:480px;margin:0 auto;padding:28px;background:#ffffff;border:1px solid #dde3e0;border-radius:12px";
const BUTTON =
  "display:inline-block;padding:12px 20px;border-radius:10px;background:#0d6b56;color:#ffffff;font-weight:600;text-decoration:none";
const SOFT = "color:#55625c;font-size:14px";

/** E-mail clients do not load our style sheets, so the few styles are inline. */
function document({ subject, lines, button, link, hint, footer }: Parts, { words, product }: Chrome): string {
  return renderDocument(html`
    <html lang=${words.language} dir=${words.direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light" />
        <title>${subject}</title>
      </head>
      <body style=${BODY}>
        <div style=${CARD}>
          <p style="margin:0 0 20px;font-weight:700">${product}</p>
          ${lines.map((line) => html`<p style="margin:0 0 16px;overflow-wrap:anywhere">${line}</p>`)}
          <p style="margin:24px 0"><a href=${link} style=${BUTTON}>${button}</a></p>
          <p style=${`margin:0 0 16px;${SOFT}`}>${hint}</p>
          <p style=${`margin:0 0 4px;${SOFT}`}>${words.mail.open}</p>
          <p style=${`margin:0;overflow-wrap:anywhere;${SOFT}`} dir="ltr">${link}</p>
        </div>
        <p style=${`max-width:480px;margin:16px auto 0;${SOFT}`}>${footer}</p>
      </body>
    </html>
  `);
}
