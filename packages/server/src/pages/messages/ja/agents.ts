/** Japanese: apps that act while their owner is away, and their pause. */

import type { agents as english } from "../en/agents.ts";
import type { Translation } from "../translation.ts";

export const agents: Translation<typeof english, "other"> = {
  agents: {
    title: "エージェント",
    intro:
      "これらのアプリは、あなたが不在の間も許可された内容を利用できます。アプリを一時停止して、後で再開できます。再開するときに、もう一度許可する必要はありません。",
    introCompany:
      "これらのアプリは、誰もサインインしていない間も {company} が許可した内容を利用できます。アプリを全員に対して一時停止して、後で再開できます。許可した内容は残ります。",
    emptyTitle: "不在の間に動作できるアプリはありません",
    emptyText: "不在時のアクセスの継続を許可したアプリがここに表示されます。",
    emptyTitleOwn: "不在の間にあなた自身のアカウントのために動作できるアプリはありません",
    ownOnly:
      "このページは、あなた自身のアカウントについてのものです。会社であなたのために動作するアプリは、会社のページにあります：{companies}",
    emptyTitleCompany: "誰もサインインしていない間に動作できるアプリはありません",
    emptyTextCompany: "誰もサインインしていない間も {company} へのアクセスを継続するアプリがここに表示されます。",
    can: "できること",
    keeps: "アクセスの期限",
    keepsForever: "取り消すまで",
    notAway: "不在の間は、新しいアクセスは与えられません。",
    notAwayCompany: "誰もサインインしていない間は、新しいアクセスは与えられません。",
    endsResumed: "再開した場合のアクセスの期限",
    endsOn: "再び有効になった場合のアクセスの期限",
    lastResumed: "再開した場合の最後の権限の終了",
    lastOn: "再び有効になった場合の最後の権限の終了",
    keepsResumed: "再開した場合に不在の間もアクセスできる期限",
    keepsOn: "再び有効になった場合に不在の間もアクセスできる期限",
    canResumed: "再開した場合にできること",
    canOn: "再び有効になった場合にできること",
    uses: "利用した内容",
    useOne: "{api}（{when}）",
    details: "詳細",
    pausedSince: "{when}に一時停止しました。再開するまで、新しいアクセスは与えられません。許可した内容は残ります。",
    pausedSinceCompany:
      "{when}に一時停止しました。管理者が再開するまで、新しいアクセスは与えられません。許可された内容は残ります。",
    pausedOver:
      "{when}に一時停止しました。許可された内容は、その後終了しました。ここで再開するまで、新しいアクセスは与えられません。",
    pausedHere: "このアプリを{when}に一時停止しました。新しいアクセスは与えられません。{agents}で再開できます。",
    pausedStill: { other: "すでに得ているアクセスは、{count} 分以内に終了します。" },
    pause: "一時停止",
    resume: "再開",
    pauseAlso: "このアプリを通じて動作するアプリも同じです。",
    pauseAtOnce: "一時停止すると、アクセスはすぐに止まります。",
    pauseSoon: { other: "一時停止すると、アクセスは{count} 分以内に止まります。" },
    paused: "{app} を一時停止しました。再開するまで、新しいアクセスは与えられません。",
    pausedNow: "{app} を一時停止しました。",
    pausedSoon: { other: "すでに得ているアクセスは、{count} 分以内（{time}まで）に終了します。" },
    resumed: "{app} を再開しました。許可した内容を再び利用できます。",
    resumedOver: "{app} を再開しました。ただし、許可した内容はすでに終了しているため、今は何も利用できません。",
    appPaused: "アプリを全員に対して一時停止しました。管理者が再開するまで、新しいアクセスは与えられません。",
    appResumed: "アプリを再開しました。許可された内容のうち、まだ終了していないものを再び利用できます。",
    asksPaused:
      "このアプリを{when}に一時停止しました。ここで許可すると、ここでチェックを外したものを除き、以前に許可した内容で再開されます。許可しない場合は、一時停止のままです。",
    asksPausedFor:
      "このアプリは {company} で{when}に一時停止されました。ここで許可すると、以前に許可された内容で全員に対して再開されます。許可しない場合は、一時停止のままです。",
    asksPausedOver:
      "このアプリを{when}に一時停止しました。許可した内容は、その後終了しました。ここで許可すると再開され、チェックしたものだけがアプリに与えられます。許可しない場合は、一時停止のままです。",
    asksPausedOverFor:
      "このアプリは {company} で{when}に一時停止されました。許可された内容は、その後終了しました。ここで許可すると全員に対して再開され、チェックしたものだけがアプリに与えられます。許可しない場合は、一時停止のままです。",
    asksPausedNotAsked: "「{allow}」を押すと、アプリが今回求めていない次の権限も元に戻ります: {permissions}",
    asksPausedForAll: "「{allow}」を押すと、その会社の全員について次の権限が元に戻ります: {permissions}",
    nothingNew: "どれも選択しない場合、「{allow}」を押すと、以前に許可された内容だけが元に戻ります。",
    backEnds: "再開すると、ここでの選択にかかわらず、アプリはこの権限を再び使えます（{when}に終了）",
    backNever: "再開すると、ここでの選択にかかわらず、アプリはこの権限を再び使えます（終了なし）",
    allowAndResume: "許可して再開",
    ownerPaused: "{company}（管理者がこのアプリを一時停止）",
    away: "サインアウトした後も、あなたがいなくても、許可した内容を利用できます。選んだ期限まで、または一時停止するか取り消すまで続きます。",
    today: "今日（{time} まで）",
    awayAlways:
      "このアプリは、不在の間やサインアウトした後もアクセスを継続します。選んだ期限まで、または一時停止するか取り消すまで続きます。",
  },
};
