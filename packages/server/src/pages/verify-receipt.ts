/** `/receipts/verify`: the form for a receipt, and what a genuine receipt says. Anybody can use both, without an account. */
import type { Chrome } from "./chrome.ts";
import { canTerm, earlierLine, permissionLines, takenTerm } from "./history.ts";
import { fill, type Messages, rich } from "./messages/index.ts";
import { hidden, localTimes, notice, titled } from "./parts/components.ts";
import { type Child, html, type Markup } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { cardPage } from "./parts/layout.ts";
import { shownTime } from "./shown-time.ts";
import { hostText, NAME_LENGTH, name, visible } from "./untrusted-text.ts";
import type { ReceiptView, VerifyReceiptView } from "./views.ts";

const HINT_ID = "receipt-hint";
const ERROR_ID = "receipt-error";

/** Renders the form, with the fault of the receipt that was pasted before. */
export function verifyReceiptPage(view: VerifyReceiptView, chrome: Chrome): string {
  const { words, base, product } = chrome;
  const { verifyReceipt } = words;
  const { fault } = view;
  const wrong = fault !== null;
  return cardPage(
    chrome,
    titled(verifyReceipt.title, wrong, words),
    html`<div class="stack">
      <div class="heading">
        <span class="sign plain">${icon("receipt")}</span>
        <h1>${verifyReceipt.title}</h1>
        <p class="soft">${fill(verifyReceipt.intro, { product })}</p>
      </div>
      ${
        wrong &&
        notice("danger", rich(verifyReceipt.wrong[fault.kind], { product, issuer: hostText(fault.issuer ?? "") }), {
          id: ERROR_ID,
        })
      }
      <form class="fields" method="post" action=${`${base}/receipts/verify`} novalidate>
        ${hidden({ csrf: view.csrf })}
        <div class="field">
          <label for="receipt">${verifyReceipt.field}</label>
          <textarea id="receipt" name="receipt" rows="6" required spellcheck="false" autocomplete="off" dir="ltr"
            aria-describedby=${wrong ? `${ERROR_ID} ${HINT_ID}` : HINT_ID}
            ...${wrong ? { "aria-invalid": "true", autofocus: true } : {}}>${view.typed}</textarea>
          <p class="soft small" id=${HINT_ID}>${verifyReceipt.hint}</p>
        </div>
        <button class="button primary" type="submit">${verifyReceipt.submit}</button>
      </form>
    </div>`,
  );
}

/** Renders what a genuine receipt says, and what it doesn't prove. */
export function genuineReceiptPage(view: ReceiptView, chrome: Chrome): string {
  const { words, base, product } = chrome;
  const { verifyReceipt } = words;
  return cardPage(
    chrome,
    verifyReceipt.validTitle,
    html`<div class="stack">
      <div class="heading">
        <span class="sign done">${icon("check")}</span>
        <h1>${verifyReceipt.validTitle}</h1>
        <p class="soft">${fill(verifyReceipt.validText, { product })}</p>
      </div>
      <section class="help">
        <h2>${headline(view, words)}</h2>
        <dl class="table">
          ${facts(view, chrome).map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}
        </dl>
      </section>
      <section class="help">
        <h2>${verifyReceipt.notProven}</h2>
        <ul class="plain stack">
          <li>${view.app === null || view.can.length === 0 ? verifyReceipt.notStill : verifyReceipt.notNow}</li>
          <li>${verifyReceipt.notWho}</li>
        </ul>
      </section>
      <a class="button" href=${`${base}/receipts/verify`}>${verifyReceipt.again}</a>
      ${localTimes(chrome)}
    </div>`,
    { wide: true },
  );
}

/** What happened, in one sentence. A receipt doesn't say to whom it is shown, so no sentence says "you". */
function headline({ what, app, system, server, member, by }: ReceiptView, words: Messages): Child {
  const { company, history, verifyReceipt } = words;
  const person = member === null ? company.formerMember : rich(verifyReceipt.someone, { id: idText(member) });
  const names = { app: name(app?.name ?? app?.clientId ?? system ?? ""), person, through: "", company: "" };
  if (typeof what === "string") {
    if (what === "revoked" || what === "revokedByOther") return rich(verifyReceipt.revoked, names);
    // Only an admin, who is not the owner, pauses an app for a whole company.
    if ((what === "paused" || what === "resumed") && typeof by === "string") return rich(verifyReceipt[what], names);
    return rich(company.events[what.startsWith("allowed") ? "allowed" : what], names);
  }
  if ("rule" in what) return rich(company.ruleEvents[what.rule], names);
  if ("member" in what) return rich(company.memberEvents[what.member], names);
  if ("account" in what) return rich(history.account[what.account], names);
  if ("connection" in what) {
    const there = name(server?.name ?? server?.issuer ?? "");
    return rich(words.companyConnections.events[what.connection], { app: names.app, server: there });
  }
  if ("signIn" in what) return rich(words.companySignIn.events[what.signIn], names);
  const { endedBy } = what;
  if (endedBy === "password" || endedBy === "account" || endedBy === "leaving") {
    return rich(verifyReceipt.ended[endedBy], names);
  }
  return rich(history.ended[endedBy], names);
}

function facts(view: ReceiptView, { words, product }: Chrome): readonly (readonly [Child, Child])[] {
  const { verifyReceipt, history } = words;
  const { app, via } = view;
  const rows: readonly (readonly [Child, Child] | null)[] = [
    app && [verifyReceipt.app, name(app.name ?? app.clientId)],
    app && [verifyReceipt.appId, idText(app.clientId)],
    [verifyReceipt.when, shownTime(words, view.at, "exact")],
    [verifyReceipt.account, idText(view.account)],
    [verifyReceipt.by, decider(view, words, product)],
    via === null ? null : [verifyReceipt.how, fill(verifyReceipt.via[via], { product })],
    ...permissionLines(view.can, canTerm(view, words), words),
    ...earlierLine(view, words),
    view.refused.length === 0 ? null : [history.refusedTo, texts(view.refused)],
    view.takenAway.length === 0 ? null : [takenTerm(view, words), texts(view.takenAway)],
    view.hosts.length === 0
      ? null
      : [verifyReceipt.hosts, view.hosts.map((host) => html`<div>${hostText(host)}</div>`)],
    [verifyReceipt.made, shownTime(words, view.made, "exact")],
  ];
  return rows.filter((row) => row !== null);
}

function decider({ by }: ReceiptView, { verifyReceipt }: Messages, product: string): Child {
  switch (by) {
    case "owner":
      return verifyReceipt.byOwner;
    case "operator":
      return fill(verifyReceipt.byOperator, { product });
    case "client":
      return verifyReceipt.byApp;
    case "server":
      return fill(verifyReceipt.byServer, { product });
    default:
      return rich(verifyReceipt.someone, { id: idText(by.personId) });
  }
}

function idText(id: string): Markup {
  return html`<code><bdi dir="ltr">${visible(id, NAME_LENGTH)}</bdi></code>`;
}

function texts(all: readonly string[]): Child {
  return all.map((text) => html`<div><bdi>${visible(text, 200)}</bdi></div>`);
}
