/** Japanese: recovering an account by e-mail, and undoing a recovery. */
import type { recovery as english } from "../en/recovery.ts";
import type { Translation } from "../translation.ts";

export const recovery: Translation<typeof english, "other"> = {
  takeBack: {
    proveTitle: "ご本人確認",
    proveCode: "アカウント {person} の新しいパスワードを設定する前に、認証アプリのコードを入力してください。",
    provePasskey: "アカウント {person} の新しいパスワードを設定する前に、このアカウントのパスキーを使用してください。",
    proveWith: "パスキーを使用",
    proveNone: "どれも使えない場合は、{product} の運営者にお問い合わせください。",
    throttled: {
      other: "試行回数が多すぎます。{count} 分待ってから、新しいリンクをリクエストしてください。",
    },
    text: "アカウント {person} のパスワードです。すべての場所からサインアウトします。",
    undoText: "アカウント {person} のアドレスが {email} に戻ります。すべての場所からサインアウトします。",
    changed:
      "このページを開いている間に、アカウントが変更されました。もう一度すべて確認してから、パスワードを設定してください。",
    leaving: "アカウントは {when} に削除される予定でした。続行すると、削除されません。",
    stays:
      "アカウントは削除されなくなりました。それでも削除する場合は、サインインして、プロフィールで「アカウントを削除」を選んでください。",
    ways: "サインインの方法",
    waysDoubtful:
      "次の方法は、このアカウントで初めて使われたブラウザーで追加されました。チェックの付いたものは削除されます。ご自身で追加したものはチェックを外してください。",
    waysStates: { ticked: "削除されます", open: "残ります" },
    waysKept: "次の方法は残ります：",
    remove: "削除：{way}",
    passkey: "パスキー「{name}」",
    authenticator: "認証アプリ",
    codes: "リカバリーコード",
    added: "追加：{when}",
    addedFrom: "追加：{when}、{device}",
    place: "ネットワーク {place}",
    used: "最終使用：{when}",
    back: "以前の認証アプリが再び使えるようになります。",
    backCodes: "以前のものが再び使えるようになります。",
    apps: "アクセスできるアプリ",
    appsHint: "チェックしたアプリはアクセスできなくなります。それ以外はそのままです。",
    appsStates: { ticked: "アクセスを失います", open: "アクセスを保ちます" },
    staysPaused: "一時停止のままです",
    appsSince: "{when} 以降に接続、変更、再開されたアプリがチェックされています。",
    appsNone: "あなたのアカウントにアクセスできるアプリはありません。",
    appsRevoked: "すべてのアプリのアクセスが取り消されました。",
    appsHidden:
      "表示されていないアプリ：{count}。それ以降に接続、変更、再開されたものはアクセスできなくなります。それ以外はそのままです。",
    connected: "接続：{when}",
    connectedDevice: "デバイスのコードで接続：{when}",
    latest: "再接続：{when}",
    endChanged: "変更：{when}",
    resumed: "再開：{when}",
    company: "{company} のために接続したアプリ",
    companyApps: "アプリの数：{count}",
    browsers: "ブラウザー",
    browsersText: "すべてのブラウザーからサインアウトします。{when} 以降に新しく使われたブラウザー：",
    doneText: "すべての場所からサインアウトしました。新しいパスワードでサインインしてください。",
    doneRemoved: "削除したもの：{list}",
    doneBack: "再び使えるようになったもの：{list}",
    previous: { authenticator: "以前の認証アプリ", codes: "以前のリカバリーコード" },
    doneKept: "引き続き使えるサインインの方法：{list}",
    doneEnded: "アクセスを取り消したアプリ：{list}。",
    doneApps: "引き続きアクセスできるアプリ：{list}",
    donePaused: "一時停止のままのアプリ：{list}",
    restoreTitle: "削除されたサインインの方法を元に戻しますか？",
    restoreText:
      "{when}、メールのリンクからアカウント {person} の新しいパスワードが設定され、次のものが削除されました。",
    restoreThen:
      "ご自身で行った場合は、何もする必要はありません。そうでない場合は、元に戻してください。全員がサインアウトし、そのパスワードは使えなくなり、それ以降に新しいブラウザーで追加されたサインインの方法は削除されます。その後、新しいパスワードを設定してください。サインインには、これらの方法のいずれかが必要になることがあります。",
    restoreApps:
      "アプリは、それ以降にあなたまたは会社のために得たアクセスと、それ以降に終了日時が変更された権限を失います。それ以降のあなた自身の会社のための回答は忘れられます。それ以降に再開されたアプリは、再び一時停止されます。それ以降に取り消されたアプリのアクセスは元に戻りません。後でもう一度接続してください。",
    restoreExpired:
      "{when}に期限が切れました。何も変更されていません。削除されたサインインの方法は元に戻せなくなり、現在のパスワードはそのまま有効です。わからない場合は、新しいパスワードを設定してください。",
    restoreYes: "元に戻す",
    restoredTitle: "サインインの方法が元に戻りました",
    restoredText: "全員がサインアウトし、パスワードは使えなくなりました。今すぐ新しいパスワードを設定してください。",
    restoredFirst: "全員がサインアウトし、パスワードは使えなくなりました。",
    moved: "アカウントのメールアドレスは {email} ではなくなっています。{when}に変更され、変更されたままです。",
    movedThen:
      "心当たりがない場合は、まずサインインの方法を元に戻してください。その後、アドレスを元に戻すリンクを {email} に送ることができます。",
    movedNow:
      "心当たりがない場合は、{email} にリンクを送ってください。リンクからアドレスを元に戻し、新しいパスワードを設定できます。ユーザー名で請求したリンクは、もう一方のアドレスに届きます。",
    movedMail:
      "心当たりがない場合は、ページでユーザー名ではなく {email} を入力してください。アドレスを元に戻して新しいパスワードを設定できるリンクを {email} に送ります。",
    movedLate:
      "この変更を元に戻せるリンクはもうありません。心当たりがない場合は、{product} の運営者にお問い合わせください。",
    movedSend: "{email} にリンクを送信",
    pausedAgain: "再び一時停止したアプリ：{list}",
    companiesKeep:
      "削除の後にあなたの会社で変更されたものは、そのまま残ります。アプリのルール、接続、メンバー、新しい会社です。あなたの名前で送られた未回答の招待だけが取り消されます。会社を確認してください。",
    doneLost: "権限を取り消したアプリ：{list}。",
    lostSoon: {
      other: "これらの権限は {count} 分以内に終了します。",
    },
    restoredApps: "削除の後に取り消されたアプリのアクセスは元に戻りません。使うには、もう一度接続してください。",
  },
};
