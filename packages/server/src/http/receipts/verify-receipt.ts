/** `/receipts/verify`: anybody pastes a receipt and reads whether this server signed it, and what it says. */

import { type ReceiptClaims, type ReceiptFault, verifyReceipt } from "../../crypto/signed-receipts.ts";
import { redirectHost } from "../../oauth/redirect-uri.ts";
import { genuineReceiptPage, verifyReceiptPage } from "../../pages/index.ts";
import type { ReceiptView, VerifyReceiptView } from "../../pages/views.ts";
import { forVisitor, type Visitor, type VisitorContext } from "../browser-of-request.ts";
import type { FormTools } from "../endpoint-contexts.ts";
import { memberIn, whatOf } from "../endpoints/history.ts";
import { formToken, isFormToken } from "../form-token.ts";
import { type Answer, formOf, type HttpRequest, page } from "../http-message.ts";
import type { ReceiptTools } from "./receipt-file.ts";

interface VerifyTools extends FormTools, VisitorContext, Pick<ReceiptTools, "receipts"> {}

/** Maximum number of characters of the pasted text. A form with more of them exceeds the limit of a body. */
const LONGEST = 60_000;

export const showVerifyReceipt = forVisitor<VerifyTools>((visitor, http, tools) =>
  formAnswer({ typed: "", fault: null }, visitor, http, tools),
);

export const submitVerifyReceipt = forVisitor<VerifyTools>(async (visitor, http, tools) => {
  const form = formOf(http);
  const typed = form.get("receipt") ?? "";
  const shown = typed.length > LONGEST ? "" : typed;
  if (!isFormToken(form, visitor, tools)) {
    return formAnswer({ typed: shown, fault: { kind: "stale" } }, visitor, http, tools, 403);
  }
  const { receipts, issuer } = tools;
  const verified = await verifyReceipt(typed, { issuer, longest: LONGEST, keys: () => receipts.keys() });
  if (verified.kind === "valid") {
    return page(200, genuineReceiptPage(receiptView(verified.claims), tools.chrome(http)), "here", visitor.cookies);
  }
  return formAnswer({ typed: shown, fault: problemOf(verified.fault) }, visitor, http, tools);
});

function formAnswer(
  view: Omit<VerifyReceiptView, "csrf">,
  visitor: Visitor,
  http: HttpRequest,
  tools: VerifyTools,
  status = 200,
): Answer {
  const csrf = formToken(visitor, tools);
  return page(status, verifyReceiptPage({ ...view, csrf }, tools.chrome(http)), "here", visitor.cookies);
}

function problemOf(fault: ReceiptFault): NonNullable<VerifyReceiptView["fault"]> {
  return typeof fault === "string" ? { kind: fault } : fault;
}

function receiptView(claims: ReceiptClaims): ReceiptView {
  const { sub, by, member, app, via, role, rule, cause, own_sign_in: ownSignIn, earlier_until: earlier } = claims;
  const happened: Parameters<typeof whatOf>[0] = {
    kind: claims.event,
    ownerId: sub,
    record: {
      by,
      via: via as ReceiptView["via"],
      ...(member === undefined ? {} : { personId: member }),
      ...(role === undefined ? {} : { role }),
      ...(rule === undefined ? {} : { rule }),
      ...(cause === undefined ? {} : { cause }),
      ...(ownSignIn === undefined ? {} : { ownSignIn }),
      ...(claims.connection === undefined ? {} : { connection: claims.connection }),
      ...(claims.for === undefined ? {} : { forSelected: true }),
    },
  };
  return {
    what: whatOf(happened),
    app: app === null ? null : { clientId: app.client_id, name: app.name },
    system: claims.system ?? null,
    ...(claims.server === undefined ? {} : { server: claims.server }),
    account: sub,
    by: by === sub ? "owner" : by === "operator" || by === "client" || by === "server" ? by : { personId: by },
    member: memberIn(happened) ?? null,
    via: via as ReceiptView["via"],
    // As in the history: an entry also lists permissions that expired before it, or that the app lost with it.
    can: (claims.event === "alarm" || claims.event === "given_up" ? [] : claims.allowed)
      .filter(({ until }) => until === null || until > claims.event_at)
      .map(({ scope, text, until }) => ({
        text: text ?? scope,
        end: until === null ? null : until * 1000,
      })),
    ...(claims.paused === undefined ? {} : { paused: true }),
    takenAway: claims.taken_away,
    ...(claims.taken_from === undefined ? {} : { takenFrom: claims.taken_from }),
    refused: (claims.asked ?? []).map(({ scope, text }) => text ?? scope),
    hosts: (claims.redirect_hosts ?? []).map(redirectHost),
    ...(earlier === undefined ? {} : { earlierUntil: earlier === null ? null : earlier * 1000 }),
    at: claims.event_at * 1000,
    made: claims.iat * 1000,
  };
}
