/** `/account/companies/new`: the form with which a person creates a company. */
import type { Chrome } from "../chrome.ts";
import { rich } from "../messages/index.ts";
import { hidden, notice, titled } from "../parts/components.ts";
import { field } from "../parts/fields.ts";
import { type Child, html } from "../parts/html.ts";
import { accountPage } from "../parts/layout.ts";
import { hostList, name } from "../untrusted-text.ts";
import type { CreateCompanyView } from "./views.ts";

export function createCompanyPage(view: CreateCompanyView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { create, confirm } = words.company;
  const { problem } = view;
  const at = (...kinds: readonly (typeof problem)[]) =>
    problem !== null && kinds.includes(problem) ? create.problems[problem] : null;
  return accountPage(
    chrome,
    titled(create.title, problem !== null, words),
    { ...view, here: "companies" },
    html`<div class="stack">
      <div class="heading"><h1>${create.title}</h1><p class="soft">${create.text}</p></div>
      ${view.losesVouchers !== undefined && notice("warning", losesVouchers(view.losesVouchers, chrome))}
      ${problem === "tooMany" && notice("danger", create.problems.tooMany, { focus: true })}
      <div class="card panel">
        <form class="fields" method="post" action=${`${base}/account/companies/new`} novalidate>
          ${hidden({ csrf: view.csrf })}
          ${field({
            ...{ name: "name", label: create.name, type: "text", autocomplete: "organization", value: view.name },
            error: at("name", "similar"),
          })}
          ${field({
            ...{
              name: "slug",
              label: create.slug,
              type: "text",
              autocomplete: "off",
              value: view.slug,
              hint: create.slugHint,
            },
            error: at("slug", "taken"),
          })}
          <div class="row-actions">
            <button class="button primary" type="submit">${create.submit}</button>
            <a class="button" href=${`${base}/account/companies`}>${confirm.cancel}</a>
          </div>
        </form>
      </div>
    </div>`,
  );
}

/** Says whose apps get no new access to the person's account once they belong to two companies. */
function losesVouchers({ company, hosts }: NonNullable<CreateCompanyView["losesVouchers"]>, { words }: Chrome): Child {
  return rich(words.company.create.losesVouchers, { issuer: hostList(hosts), company: name(company) });
}
