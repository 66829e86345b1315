/** Japanese: companies, on whose behalf people answer, and their pages. */
import type { company as english } from "../en/company.ts";
import type { Translation } from "../translation.ts";

export const company = {
  forWhom: {
    label: "誰として許可するか",
    self: "{person}（あなた）",
    asks: "{company}（管理者の承認が必要です）",
    blocked: "{company}（このアプリは認められていません）",
    hint: "会社として許可したことは会社のものになります。会社の管理者はそれを見て、取り消すことができます。",
    wrong: "その所有者としては回答できません。一覧から選んでください。",
  },

  askAdmin: {
    title: "{company} の管理者に依頼する",
    text: "{app} が {company} の名で動作するには、管理者の承認が必要です。承認されると、アプリは次のことができるようになります。",
    reason: "何のために必要ですか",
    hint: "管理者が読みます。{count} 文字以内で書いてください。",
    wrong: "アプリが必要な理由を {count} 文字以内で書いてください。",
    tooMany: "回答待ちの依頼がすでに多くあります。管理者の回答をお待ちください。",
    submit: "依頼を送る",
    cancel: "依頼しない",
    askedTitle: "{company} の管理者に依頼しました",
    askedText: "管理者が承認したら、もう一度 {app} を開いてください。まだ何も共有されていません。",
    back: "{app} に戻る",
  },
} as const satisfies Translation<typeof english, "other">;
