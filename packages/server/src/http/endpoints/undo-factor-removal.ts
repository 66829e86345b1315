/** `/recover/undo`: the page of the link that undoes a removal of factors by recovery. */

import { hashUnknownPassword } from "../../crypto/password-hashing.ts";
import type { Millis } from "../../oauth/model.ts";
import { type FollowedLink, followLink } from "../../owners/mail/open-mail-link.ts";
import type { RemovedFactor } from "../../owners/recovery/storage.ts";
import type { Moved } from "../../owners/recovery/undo-address-link.ts";
import { isMember, movedSince, provingSince, restore, showRemoved } from "../../owners/recovery/undo-factor-removal.ts";
import { restoredPage, restorePage } from "../../pages/index.ts";
import { type Visitor, visitorOf } from "../browser-of-request.ts";
import { coarse, originOf } from "../connections/client-address.ts";
import { presentedBy } from "../device-cookie.ts";
import { formToken, isFormToken } from "../form-token.ts";
import { type Answer, formOf, type HttpRequest, page } from "../http-message.ts";
import { type RecoveryTools, recoveryContext } from "../recovery-context.ts";
import { browserName, deviceOf, userAgentOf } from "../user-agent.ts";
import { goneAnswer } from "./ask-recovery.ts";

export async function showRestore(http: HttpRequest, tools: RecoveryTools): Promise<Answer> {
  const visitor = await visitorOf(http, tools);
  const token = new URLSearchParams(http.query).get("link");
  const found = await removedBehind(token, tools);
  if (found === undefined) return goneAnswer("restore", token, { http, visitor }, tools);
  return askAnswer(token ?? "", found, visitor, http, tools, false);
}

export async function submitRestore(http: HttpRequest, tools: RecoveryTools): Promise<Answer> {
  const visitor = await visitorOf(http, tools);
  const form = formOf(http);
  const token = form.get("link") ?? "";
  const found = await removedBehind(token, tools);
  if (found === undefined) return goneAnswer("restore", token, { http, visitor }, tools);
  if (!isFormToken(form, visitor, tools))
    return { ...askAnswer(token, found, visitor, http, tools, true), status: 403 };
  const account = found.followed.person.personId;
  const from = {
    passwordHash: await hashUnknownPassword({ ...originOf(http.address), account, known: true }),
    browser: browserName(userAgentOf(http)),
    ...{
      language: tools.chrome(http).words.language,
      address: http.address,
      since: removedAt(found),
      member: found.member,
    },
    device: presentedBy(found.followed.person.personId, http, tools),
  };
  const { outcome, lost } = await restore(found.followed, from, recoveryContext(tools));
  if (outcome.kind !== "done") return goneAnswer("restore", token, { http, visitor }, tools);
  tools.recovery.mail.kick();
  const { personId } = found.followed.person;
  tools.event("factors_restored", { owner: personId, address: http.address, restored: found.removed.length });
  const view = {
    ...{ ...lost, moved: found.moved, member: found.member, csrf: formToken(visitor, tools) },
    stays: (found.followed.person.deleteAt ?? null) !== null,
    proving: (await provingSince(found.followed, recoveryContext(tools))) ?? null,
  };
  return page(200, restoredPage(view, { ...tools.chrome(http), here: null }), "here", visitor.cookies);
}

interface Found {
  readonly followed: FollowedLink;
  readonly removed: readonly RemovedFactor[];
  readonly moved: Moved | null;
  readonly member: boolean;
}

async function removedBehind(token: string | null, tools: RecoveryTools): Promise<Found | undefined> {
  const followed = await followLink(token, "restore", tools.account);
  if (followed === undefined) return undefined;
  const context = recoveryContext(tools);
  const [removed, moved, member] = await Promise.all([
    showRemoved(followed, context),
    movedSince(followed, context),
    isMember(followed, context),
  ]);
  return removed.length === 0 ? undefined : { followed, removed, moved, member };
}

function removedAt({ removed }: Pick<Found, "removed">): Millis {
  return Math.min(...removed.map((one) => one.removedAt));
}

function askAnswer(
  link: string,
  { followed, removed, moved, member }: Found,
  visitor: Visitor,
  http: HttpRequest,
  tools: RecoveryTools,
  stale: boolean,
): Answer {
  const view = {
    ...{ link, stale, person: followed.person.username, moved, member, now: tools.now() },
    csrf: formToken(visitor, tools),
    leavesAt: followed.person.deleteAt ?? null,
    at: removedAt({ removed }),
    ways: removed.map(({ kind, name, createdAt, added }) => ({
      ...{ kind, name, addedAt: createdAt, ...deviceOf(added.userAgent), place: coarse(added.address) },
    })),
  };
  const here = `/recover/undo?link=${link}`;
  return page(200, restorePage(view, tools.chrome(http, { here })), "here", visitor.cookies);
}
