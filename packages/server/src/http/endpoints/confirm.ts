/** `/confirm/…`: an address is proved, and perhaps takes the place of another. A link alone does nothing. */

import { mayTell } from "../../owners/mail/limits.ts";
import type { NewMailLink } from "../../owners/mail/mail.ts";
import { undoOfChange } from "../../owners/recovery/way-back.ts";
import { confirmPage } from "../../pages/index.ts";
import type { Assent } from "../../server-parts.ts";
import { presentedBy } from "../device-cookie.ts";
import { formToken, isFormToken } from "../forms.ts";
import { languageFor } from "../mail-links.ts";
import { type Answer, formOf, type HttpRequest, page } from "../message.ts";
import { type Visitor, visitorOf } from "../visitor.ts";
import { doneAnswer, follow } from "./recover.ts";

type What = "verify" | "change";
type Followed = NonNullable<Awaited<ReturnType<typeof follow>>>;

export function showEmailLink(what: What): (http: HttpRequest, assent: Assent) => Promise<Answer> {
  return async (http, assent) => {
    const visitor = await visitorOf(http, assent);
    const token = new URLSearchParams(http.query).get("link");
    const followed = await follow(token, what, assent);
    if (followed === undefined) return doneAnswer({ what: "gone", again: null }, http, assent, visitor);
    return askAnswer(what, token ?? "", followed, visitor, http, assent, false);
  };
}

export function submitEmailLink(what: What): (http: HttpRequest, assent: Assent) => Promise<Answer> {
  return async (http, assent) => {
    const visitor = await visitorOf(http, assent);
    const form = formOf(http);
    const token = form.get("link") ?? "";
    const followed = await follow(token, what, assent);
    if (followed === undefined) return doneAnswer({ what: "gone", again: null }, http, assent, visitor);
    if (!isFormToken(assent.secrets, `browser:${visitor.nonce}`, form.get("csrf")))
      return { ...askAnswer(what, token, followed, visitor, http, assent, true), status: 403 };
    const outcome =
      what === "verify"
        ? await assent.storage.mailLinks.verifyEmail(followed.key)
        : await change(followed, http, assent);
    if (outcome.kind !== "done") {
      const view = outcome.kind === "taken" ? ({ what: "taken" } as const) : ({ what: "gone", again: null } as const);
      return doneAnswer(view, http, assent, visitor);
    }
    const { personId, email, username } = outcome.person;
    assent.event(what === "verify" ? "email_verified" : "email_changed", { owner: personId, address: http.address });
    return doneAnswer({ what: "confirmed", email, person: username }, http, assent, visitor);
  };
}

/** The address before hears of it, with a way back; not one that nobody vouched for, as it gets no recovery either. */
async function change(followed: Followed, http: HttpRequest, assent: Assent) {
  const { person, link } = followed;
  const undo = await undoOfChange(person, link.address, presentedBy(person.personId, http, assent), assent);
  const mails = person.emailVerifiedAt === null ? [] : await newsOfChange(followed, undo, http, assent);
  const changed = { ...followed.key, before: person.email, undo, mails };
  const outcome = await assent.storage.mailLinks.changeEmail(changed);
  assent.mail.kick();
  return outcome;
}

async function newsOfChange({ link, person }: Followed, undo: NewMailLink | null, http: HttpRequest, assent: Assent) {
  const { partition, email: to, username } = person;
  const language = person.language ?? languageFor(http, assent);
  const at = assent.now();
  if (undo === null) {
    if (!(await mayTell(to, "emailReturned", assent.signIn))) return [];
    const values = { person: username, at };
    const draft = { kind: "emailReturned", to, language, link: `${assent.issuer}/login`, values } as const;
    return assent.mail.write(draft, { partition, cause: [link.linkId] });
  }
  const goesBack = undo.link.about !== null;
  const values = goesBack ? { person: username, at } : { person: username, email: link.address };
  const draft = { kind: goesBack ? "emailReturnedUndo" : "changed", to, language, link: undo.url, values } as const;
  return assent.mail.write(draft, { partition, cause: [undo.link.linkId], uselessAfter: undo.link.expiresAt });
}

function askAnswer(
  what: What,
  link: string,
  followed: Followed,
  visitor: Visitor,
  http: HttpRequest,
  assent: Assent,
  stale: boolean,
): Answer {
  const { username: person } = followed.person;
  const csrf = formToken(assent.secrets, `browser:${visitor.nonce}`);
  const view = { what, csrf, link, person, stale, email: followed.link.address };
  const here = `/confirm/${what}?link=${link}`;
  return page(200, confirmPage(view, assent.chrome(http, { here })), "here", visitor.cookies);
}
