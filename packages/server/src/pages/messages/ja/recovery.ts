/** Japanese: taking an account back by mail, and undoing that. */
import type { recovery as english } from "../en/recovery.ts";
import type { Translation } from "../translation.ts";

export const recovery: Translation<typeof english, "other"> = {
  takeBack: {
    proveTitle: "ご本人であることの確認",
    proveCode: "アカウント {person} の新しいパスワードを決める前に、認証アプリのコードを入力してください。",
    provePasskey: "アカウント {person} の新しいパスワードを決める前に、このアカウントのパスキーを使ってください。",
    proveWith: "パスキーを使う",
    proveNone: "どれもお持ちでない場合は、{product} の運営者に助けを求めてください。",
    text: "アカウント {person} のパスワードです。すべての場所でサインアウトします。",
    undoText: "アカウント {person} のアドレスが {email} に戻ります。すべての場所でサインアウトします。",
    changed:
      "このページを開いている間に、アカウントが変更されました。もう一度すべて確認してから、パスワードを決めてください。",
    ways: "サインインの方法",
    waysDoubtful:
      "次の方法は、その時点でこのアカウントにとって新しいブラウザーで追加されました。チェックしたものは削除されます。ご自身のものはチェックを外してください。",
    waysKept: "次の方法は残ります。",
    remove: "削除: {way}",
    passkey: "パスキー「{name}」",
    authenticator: "認証アプリ",
    codes: "リカバリーコード",
    added: "追加: {when}",
    addedFrom: "追加: {when}、{device}",
    place: "ネットワーク {place}",
    used: "最後の使用: {when}",
    back: "前に使っていたものが元に戻ります。",
    apps: "アクセスできるアプリ",
    appsHint: "チェックしたアプリはアクセスできなくなります。それ以外はそのままです。",
    appsSince: "{when} 以降に接続されたアプリにチェックが付いています。",
    appsNone: "アカウントにアクセスできるアプリはありません。",
    appsHidden:
      "表示されていないアプリ: {count}。それ以降に接続されたものはアクセスできなくなり、それ以外はそのままです。",
    connected: "接続: {when}",
    connectedDevice: "デバイスのコードで接続: {when}",
    latest: "再接続: {when}",
    company: "{company} のために接続したもの",
    companyApps: "アプリの数: {count}",
    browsers: "ブラウザー",
    browsersText: "すべてのブラウザーでサインアウトします。{when} 以降に新しく使われたブラウザー:",
    doneText: "すべての場所でサインアウトしました。新しいパスワードでサインインしてください。",
    doneRemoved: "削除したもの: {list}",
    doneKept: "引き続き使えるサインインの方法: {list}",
    doneEnded: "アクセスできなくなったもの: {list}",
    doneApps: "引き続きアクセスできるもの: {list}",
    restoreTitle: "削除されたサインインの方法を元に戻しますか？",
    restoreText:
      "{when}、メールのリンクを使ってアカウント {person} の新しいパスワードが決められ、次のものが削除されました。",
    restoreThen:
      "ご自身の場合は、何もしないでください。そうでなければ元に戻してください。全員がサインアウトし、そのパスワードは使えなくなり、それ以降に追加されたものは削除されます。その後、新しいパスワードを決めてください。その際に、これらの方法のいずれかが必要です。",
    restoreYes: "元に戻す",
    restoredTitle: "サインインの方法が元に戻りました",
    restoredText: "全員がサインアウトし、パスワードは使えなくなりました。今すぐ新しいパスワードを決めてください。",
  },
};
