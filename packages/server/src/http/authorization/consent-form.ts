/** The fields of a consent form, and of a wish to a company's admins. */

import type { AdminForm } from "../../owners/authorization/ask-admin.ts";
import type { AnswerForm } from "../../owners/authorization/consent-answer.ts";
import { durationField, TODAY_UNTIL } from "../../owners/consent-needed.ts";

export function answerFormOf(form: URLSearchParams): AnswerForm {
  return {
    decision: form.get("decision"),
    owner: form.get("owner"),
    shownOwner: form.get("shown_owner"),
    resume: form.get("resume"),
    scopes: new Set(form.getAll("scope")),
    duration: form.get("duration"),
    todayUntil: form.get(TODAY_UNTIL),
    durationOf: (scope) => form.get(durationField(scope)),
  };
}

export function adminFormOf(form: URLSearchParams): AdminForm {
  const reason = form.get("reason")?.trim().replaceAll("\r\n", "\n") ?? "";
  return { owner: form.get("owner"), scopes: new Set(form.getAll("scope")), reason };
}
