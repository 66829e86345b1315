/** Asks for an admin's password before a decision for a whole company. */
import type { Chrome } from "../chrome.ts";
import { hidden, passwordScript } from "../parts/components.ts";
import { field } from "../parts/fields.ts";
import { html } from "../parts/html.ts";
import { faultText } from "../security/password-fields.ts";
import { companyPage, companyPath } from "./company-layout.ts";
import { type CompanyProofView, placeOfForm } from "./views.ts";

export function companyProofPage(view: CompanyProofView, chrome: Chrome): string {
  const { words } = chrome;
  const path = companyPath(view, chrome);
  const here = placeOfForm(view.action);
  const title = words.takeBack.proveTitle;
  const content = html`<section class="card panel stack" aria-labelledby="question">
    <h2 id="question">${title}</h2>
    <form class="fields" method="post" action=${path + view.action} novalidate>
      ${hidden({ csrf: view.csrf })} ${view.fields.map(([name, value]) => hidden({ [name]: value }))}
      ${field({
        ...{ name: "current_password", label: words.password.current, type: "password" },
        ...{ autocomplete: "current-password", autofocus: true },
        error: view.fault && faultText(view.fault, words),
      })}
      <div class="row-actions">
        <button class="button primary" type="submit">${words.secondStep.submit}</button>
        <a class="button" href=${path + (here === "apps" ? "" : `/${here}`)}>${words.company.confirm.cancel}</a>
      </div>
    </form>
    ${passwordScript(chrome)}
  </section>`;
  return companyPage({ ...view, notice: null }, here, title, content, chrome, view.fault !== null);
}
