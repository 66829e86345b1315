/** `/account/security`: how one signs in. */

import { securityPage } from "../../pages/index.ts";
import { formToken } from "../forms.ts";
import { page } from "../message.ts";
import { signedIn } from "./account.ts";
import { signedInAs } from "./cards.ts";

export const showSecurity = signedIn(async ({ person, session, http, visitor }, assent) => {
  const done = new URLSearchParams(http.query).get("done");
  const view = {
    csrf: formToken(assent.secrets, `session:${session.sessionId}`),
    person: signedInAs(person),
    now: assent.now(),
    notice: done === "password" ? done : null,
    password: { set: person.passwordHash !== null, changedAt: person.passwordChangedAt },
  } as const;
  return page(200, securityPage(view, assent.chrome(http)), "here", visitor.cookies);
});
