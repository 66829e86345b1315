/** `/account/profile`: name, address, data export, and deletion of the account. */
import type { Chrome } from "../chrome.ts";
import { rich, sentences } from "../messages/index.ts";
import { accessEnds } from "../parts/access-ends.ts";
import { hidden, localTimes, notice, passwordScript, titled } from "../parts/components.ts";
import { type FieldShown, field, fileField } from "../parts/fields.ts";
import { type Child, html } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { accountPage, cardPage } from "../parts/layout.ts";
import { shownTime } from "../shown-time.ts";
import { localPath, NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import { faultText } from "./password-fields.ts";
import { listed } from "./sign-in-way-names.ts";
import type { DeleteView, DetailName, ProfileView } from "./views.ts";

/** Renders the page, and the responses to its forms. */
export function profilePage(view: ProfileView, chrome: Chrome): string {
  const { words } = chrome;
  const { profile } = words;
  return accountPage(
    chrome,
    titled(
      profile.title,
      view.fault !== null || view.nameWrong || view.pictureWrong !== null || view.detailsWrong.length > 0,
      words,
    ),
    { ...view, here: "profile" },
    html`<div class="stack">
      <div class="heading"><h1>${profile.title}</h1><p class="soft">${profile.intro}</p></div>
      ${told(view, chrome)}
      ${view.keeper !== undefined && notice("plain", rich(words.kept.profile, { application: name(view.keeper) }))}
      <div class="apps">
        ${identity(view, chrome)} ${picture(view, chrome)} ${email(view, chrome)} ${about(view, chrome)} ${data(chrome)}
        ${
          (view.person.deleteAt ?? null) === null &&
          html`<section class="card section">
            <div><h2>${profile.delete}</h2><p class="soft small">${profile.deleteText}</p></div>
            <a class="button danger" href=${`${chrome.base}/account/profile/delete`}>${profile.deleteLink}</a>
          </section>`
        }
      </div>
      ${view.mail && view.hasPassword && passwordScript(chrome)}
    </div>`,
  );
}

/** Names the thing that a control changes, for a reader who hears the control alone. */
function ofWhat(thing: string): Child {
  return html`<span class="unseen"> (${thing})</span>`;
}

function told({ notice: what }: ProfileView, { words }: Chrome): Child {
  const { profile } = words;
  switch (what?.kind) {
    case undefined:
      return null;
    case "name":
      return notice("done", profile.nameSaved);
    case "details":
      return notice("done", profile.detailsSaved);
    case "picture":
      return notice("done", profile.pictureSaved);
    case "no_picture":
      return notice("done", profile.pictureRemoved);
    case "kept":
      return notice("done", profile.kept);
    case "verify":
      return notice("done", rich(profile.verifySent, { email: name(what.email) }));
    case "change":
      return notice("done", rich(profile.changeSent, { email: name(what.email) }));
    case "tooMany":
      return notice("warning", profile.tooMany);
    case "full":
      return notice("warning", words.sent.full);
  }
}

function identity(view: ProfileView, { words, base }: Chrome): Child {
  const { profile } = words;
  return html`<section class="card section whole">
    <div><h2>${profile.username}</h2><p><bdi>${view.person.username}</bdi></p></div>
    ${
      view.keeper !== undefined && view.name !== ""
        ? html`<div><h2>${profile.name}</h2><p><bdi>${view.name}</bdi></p></div>`
        : html`<form class="fields" method="post" action=${`${base}/account/profile/name`} novalidate>
          ${hidden({ csrf: view.csrf })}
          ${field({ name: "name", label: profile.name, type: "text", autocomplete: "name", value: view.name, error: view.nameWrong ? words.signUp.nameWrong : null, optional: true })}
          <button class="button" type="submit"><span>${profile.nameSave}</span>${ofWhat(profile.name)}</button>
        </form>`
    }
  </section>`;
}

function picture(view: ProfileView, { words, base }: Chrome): Child {
  const { profile } = words;
  const path = localPath(view.person.picture ?? null);
  const error = view.pictureWrong === null ? null : profile.pictureWrong[view.pictureWrong];
  return html`<section class="card section whole">
    <div><h2>${profile.picture}</h2><p class="soft small">${profile.pictureText}</p></div>
    ${
      path !== null &&
      html`<form class="fields" method="post" action=${`${base}/account/profile/picture/remove`}>
        ${hidden({ csrf: view.csrf })}
        <img class="portrait" src=${base + path} alt=${profile.picture} width="96" height="96" />
        <button class="button" type="submit">${profile.pictureRemove}</button>
      </form>`
    }
    <form class="fields" method="post" action=${`${base}/account/profile/picture`} enctype="multipart/form-data">
      ${hidden({ csrf: view.csrf })}
      ${fileField({ name: "picture", label: profile.pictureFile, hint: profile.pictureHint, accept: PICTURE_TYPES, error })}
      <button class="button" type="submit">${profile.pictureSave}</button>
    </form>
  </section>`;
}

/** Phones convert their own formats to one of these. */
const PICTURE_TYPES = "image/png,image/jpeg,image/webp,image/gif";

function email(view: ProfileView, { words, base }: Chrome): Child {
  const { profile, password, security, signUp, elsewhere } = words;
  const { fault } = view;
  const proof =
    fault !== null && fault.kind !== "wrongEmail" && fault.kind !== "sameEmail" ? faultText(fault, words) : null;
  const wrong =
    fault?.kind === "wrongEmail" ? signUp.emailWrong : fault?.kind === "sameEmail" ? profile.changeSame : null;
  return html`<section class="card section whole">
    <div>
      <h2>${profile.email}</h2>
      ${
        view.email === null
          ? html`<p class="soft">${elsewhere.noEmail}</p>`
          : html`<p><bdi>${view.email}</bdi> <span class=${view.verified ? "tag" : "tag warn"}>${view.verified ? profile.verified : profile.unverified}</span></p>`
      }
    </div>
    ${
      view.movedAt !== undefined && [
        html`<p class="soft small">${rich(security.emailMoved, { when: shownTime(words, view.movedAt, "exact") })}</p>`,
        html`<a class="button" href=${`${base}/recover`}>${words.password.titleMust}</a>`,
      ]
    }
    ${
      view.mail &&
      view.email !== null &&
      !view.verified && [
        html`<p class="soft small">${profile.unverifiedText}</p>`,
        html`<form method="post" action=${`${base}/account/profile/verify`}>
          ${hidden({ csrf: view.csrf })}<button class="button" type="submit">${profile.verify}</button>
        </form>`,
      ]
    }
    ${
      view.mail &&
      (view.keeper === undefined || view.email === null) &&
      html`<details class="fold" open=${fault !== null || view.typed !== ""}>
        <summary>${icon("chevronDown")}<span>${view.email === null ? elsewhere.addEmail : profile.change}</span>${ofWhat(profile.email)}</summary>
        <form class="fields" method="post" action=${`${base}/account/profile/email`} novalidate>
          ${hidden({ csrf: view.csrf })}
          ${field({ name: "email", label: profile.newEmail, type: "email", autocomplete: "email", value: view.typed, error: wrong })}
          ${
            view.hasPassword &&
            field({
              name: "current_password",
              label: password.current,
              type: "password",
              autocomplete: "current-password",
              error: proof,
            })
          }
          <button class="button" type="submit">${profile.changeSubmit}</button>
        </form>
      </details>`
    }
  </section>`;
}

/** The details in groups: field of the form, `autocomplete` token (HTML §4.10.18.7), type. */
const GROUPS: readonly (readonly (readonly [DetailName, string, string, FieldShown["type"]])[])[] = [
  [
    ["givenName", "given_name", "given-name", "text"],
    ["middleName", "middle_name", "additional-name", "text"],
    ["familyName", "family_name", "family-name", "text"],
    ["nickname", "nickname", "nickname", "text"],
    ["birthdate", "birthdate", "bday", "date"],
    ["gender", "gender", "sex", "text"],
  ],
  [
    ["locale", "locale", "language", "text"],
    ["zoneinfo", "zoneinfo", "off", "text"],
  ],
  [
    ["website", "website", "url", "url"],
    ["profileUrl", "profile_url", "off", "url"],
  ],
  [["phoneNumber", "phone_number", "tel", "tel"]],
  [
    ["street", "street", "address-line1", "text"],
    ["postalCode", "postal_code", "postal-code", "text"],
    ["locality", "locality", "address-level2", "text"],
    ["region", "region", "address-level1", "text"],
    ["country", "country", "country-name", "text"],
  ],
];

function about(view: ProfileView, { words, base }: Chrome): Child {
  const { profile } = words;
  const texts: Readonly<Partial<Record<DetailName, string>>> = profile.detailHints;
  const wrong: Readonly<Partial<Record<DetailName, string>>> = profile.detailWrong;
  const shown = ([detail, name, autocomplete, type]: (typeof GROUPS)[number][number]) => {
    const hint = texts[detail];
    return field({
      ...{ name, label: profile.details[detail], type, autocomplete, optional: true },
      value: view.details[detail] ?? "",
      ...(hint === undefined ? {} : { hint }),
      error: view.detailsWrong.includes(detail) ? (wrong[detail] ?? profile.detailWrong.text) : null,
    });
  };
  const tagged = view.details.phoneNumber !== undefined && view.detailsWrong.length === 0;
  return html`<section class="card section whole">
    <div><h2>${profile.about}</h2><p class="soft small">${profile.aboutText}</p></div>
    <details class="fold" open=${view.detailsWrong.length > 0}>
      <summary>${icon("chevronDown")}<span>${profile.change}</span>${ofWhat(profile.about)}</summary>
      <form class="fields" method="post" action=${`${base}/account/profile/details`} novalidate>
        ${hidden({ csrf: view.csrf })}
        ${GROUPS.map(
          (group) => html`<div class="fields">
            ${group.map(shown)}
            ${
              tagged &&
              group.some(([detail]) => detail === "phoneNumber") &&
              html`<p><span class=${view.phoneVerified ? "tag" : "tag warn"}>${view.phoneVerified ? profile.verified : profile.unverified}</span></p>`
            }
          </div>`,
        )}
        <button class="button" type="submit"><span>${profile.nameSave}</span>${ofWhat(profile.about)}</button>
      </form>
    </details>
  </section>`;
}

function data({ words, base }: Chrome): Child {
  const { profile } = words;
  return html`<section class="card section">
    <div><h2>${profile.data}</h2><p class="soft small">${profile.dataText}</p></div>
    <a class="button" href=${`${base}/account/profile/export`}>${profile.download}</a>
  </section>`;
}

/** `/account/profile/delete`: what the server deletes, and when. */
export function deletePage(view: DeleteView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { deletion } = words;
  const proof = view.fault === null ? null : faultText(view.fault, words);
  if (view.soleAdminOf.length > 0) return undeletablePage(view, chrome);
  return cardPage(
    chrome,
    titled(deletion.title, view.fault !== null, words),
    html`<div class="stack">
      <div class="heading">
        <h1>${deletion.title}</h1>
        <p>${rich(deletion.text, { when: shownTime(words, view.at, "exact") })}</p>
        <p class="soft">${sentences(words.language, deletion.now, accessEnds(view.stopsIn, chrome), deletion.notBack)}</p>
        <p class="soft">${sentences(words.language, deletion.later, deletion.stays)}</p>
      </div>
      <form class="fields" method="post" action=${`${base}/account/profile/delete`} novalidate>
        ${hidden({ csrf: view.csrf })}
        ${
          view.hasPassword &&
          field({
            name: "current_password",
            label: words.password.current,
            type: "password",
            autocomplete: "current-password",
            error: proof,
          })
        }
        <button class="button danger" type="submit">${deletion.submit}</button>
        <a class="button" href=${`${base}/account/profile`}>${deletion.keep}</a>
      </form>
      ${localTimes(chrome)} ${view.hasPassword && passwordScript(chrome)}
    </div>`,
    { signOut: view.csrf },
  );
}

/** For the only admin of a company, whose account can't be deleted yet. */
function undeletablePage({ soleAdminOf, csrf }: DeleteView, chrome: Chrome): string {
  const { words, base } = chrome;
  const names = soleAdminOf.map((company) => visible(company, NAME_LENGTH));
  return cardPage(
    chrome,
    words.profile.delete,
    html`<div class="stack">
      <div class="heading"><h1>${words.profile.delete}</h1></div>
      ${notice("warning", rich(words.deletion.soleAdmin, { companies: listed(names, words).html }))}
      <a class="button" href=${`${base}/account/profile`}>${words.dataExport.back}</a>
    </div>`,
    { signOut: csrf },
  );
}
