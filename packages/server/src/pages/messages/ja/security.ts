/** Japanese: the pages about how one signs in. */
import type { security as english } from "../en/security.ts";
import type { Translation } from "../translation.ts";

export const security = {
  cancel: "キャンセル",

  security: {
    title: "セキュリティ",
    intro: "サインインの方法と、サインインしている場所です。",
    password: "パスワード",
    passwordChanged: "変更: {when}",
    passwordNone: "ここではパスワードなしでサインインしています。",
    passwordChange: "パスワードを変更する",
    passwordSet: "パスワードを決める",
    passwordDone: "パスワードを変更しました。",
  },

  password: {
    title: "パスワードの変更",
    titleSet: "パスワードを決める",
    titleMust: "新しいパスワードを決めてください",
    introMust:
      "サインインに使ったパスワードは、ほかの人も知っているかもしれません。ご自分のパスワードを決めると、先に進めます。",
    current: "現在のパスワード",
    new: "新しいパスワード",
    again: "新しいパスワード（もう一度）",
    hint: "8 文字以上。いくつかの単語を並べると、推測されにくく、覚えやすくなります。",
    endSessions: "ほかのすべての場所でサインアウトする",
    endApps: "すべてのアプリの利用を取り消す",
    endAppsHint:
      "パスワードをほかの人に知られた可能性があれば、チェックを付けたままにしてください。アプリはあとでもう一度許可できます。",
    submit: "パスワードを変更する",
    wrong: {
      current: "現在のパスワードと違います。",
      missing: "新しいパスワードを入力してください。",
      stale:
        "サインインしてから時間がたっています。サインアウトし、もう一度サインインしてから、パスワードを決めてください。",
      differ: "上と同じではありません。新しいパスワードを 2 回入力してください。",
      same: "今と同じパスワードです。別のものにしてください。",
      malformed: "使えない文字が入っています。別のパスワードにしてください。",
      short: "短すぎます。パスワードは 8 文字以上です。",
      long: "長すぎます。パスワードは 1024 バイトまでです。",
      name: "自分の名前は、まっさきに試されます。別のパスワードにしてください。",
      common: "多くの人が使っているパスワードで、まっさきに試されます。別のものにしてください。",
    },
  },
} as const satisfies Translation<typeof english, "other">;
