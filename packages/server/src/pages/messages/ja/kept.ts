/** Japanese: passwords that the operator's application keeps. */

import type { kept as english } from "../en/kept.ts";
import type { Translation } from "../translation.ts";

export const kept: Translation<typeof english, "other"> = {
  kept: {
    forgot:
      "{application} のパスワードでサインインしている場合は、{application} で新しいパスワードを設定してください。",
    forgotLink: "{application} で新しいパスワードを設定",
    here: "それ以外のアカウントの場合は、ユーザー名またはメールアドレスを入力してください。リンクをお送りします。",
    unchecked:
      "現在、パスワードを確認できません。しばらくしてからもう一度お試しいただくか、別の方法でサインインしてください。",
    password: "あなたは {application} のパスワードでサインインします。変更できるのは {application} だけです。",
    change: "{application} で変更",
    profile:
      "{application} のパスワードでサインインするたびに、{application} があなたの名前とメールアドレスを設定します。変更は {application} で行ってください。",
  },
};
