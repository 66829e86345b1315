/** Japanese: the page that verifies and explains a receipt. */
import type { receipts as english } from "../en/receipts.ts";
import type { Translation } from "../translation.ts";

export const receipts: Translation<typeof english, "other"> = {
  verifyReceipt: {
    title: "控えの検証",
    intro: "控えに {product} が署名したか、後から変更されていないかを確認できます。アカウントは必要ありません。",
    field: "控え",
    hint: "ファイルをテキストエディターで開き、全体をコピーして、ここに貼り付けてください。とても長い場合は、“receipt” に続くテキストだけを貼り付けてください。",
    submit: "検証する",
    wrong: {
      missing: "控えを貼り付けてください。",
      too_long: "テキストが長すぎます。“receipt” に続くテキストだけを貼り付けてください。",
      malformed: "これは控えではないか、一部が欠けています。ファイル全体を貼り付けてください。",
      other_type: "これは控えではありません。誰かのアカウントの鍵かもしれません。誰にも渡さないでください。",
      other_issuer:
        "この控えは {product} のものではありません。発行元は {issuer} と書かれていますが、{product} では確認できません。",
      unknown_key: "{product} はこの控えを検証できません。署名した鍵が公開されていないか、すでに公開が終わっています。",
      altered:
        "この控えを信用しないでください。{product} が署名した後に変更されたか、{product} が署名したものではありません。",
      stale:
        "このページを長く開いたままにしていたか、ブラウザーがクッキーをブロックしています。もう一度検証してください。",
    },
    validTitle: "この控えは本物です",
    validText: "{product} が署名したもので、その後変更されていません。",
    revoked: "{app} のアクセスが取り消されました",
    paused: "{app} が一時停止されました",
    resumed: "{app} が再開されました",
    ended: {
      password: "アカウントのパスワードが変更されたため、{app} の接続を切りました",
      account: "アカウントが無効になったため、{app} の接続を切りました",
      leaving: "アカウントの削除が予定されたため、{app} の接続を切りました",
    },
    someone: "アカウント {id}",
    app: "アプリの名前",
    appId: "アプリの ID",
    when: "日時",
    account: "アカウント",
    by: "決定した人",
    byOwner: "アカウントの所有者",
    byOperator: "{product} の運営者",
    byApp: "アプリ",
    byServer: "{product}（自動）",
    how: "方法",
    via: {
      browser: "許可を求めるページ",
      device: "許可を求めるページ（デバイス用）",
      "first party": "{product} のアプリのため、確認なし",
      "company policy": "会社のルール",
      password: "ユーザー名とパスワード",
      "operator policy": "{product} のポリシー",
      admin: "会社の管理者がメンバーのために許可",
    },
    hosts: "戻り先",
    made: "控えの作成日時",
    notProven: "この控えで証明できないこと",
    notNow: "アプリが今もアクセスできること。アクセスはその後、終了または変更された可能性があります。",
    notStill: "今もそのままであること。その後、変更された可能性があります。",
    notWho: "所有者が誰であるか。控えには、アカウントの ID だけが書かれています。",
    again: "別の控えを検証する",
  },
};
