/** Arabic: companies, on whose behalf people answer, and their pages. */
import type { company as english } from "../en/company.ts";
import type { Translation } from "../translation.ts";

export const company = {
  forWhom: {
    label: "باسم من",
    self: "{person} (أنت)",
    asks: "{company} (تلزم موافقة أحد المشرفين)",
    blocked: "{company} (لا تقبل هذا التطبيق)",
    hint: "ما تسمح به باسم شركة يعود إلى الشركة، ويراه مشرفوها ويمكنهم سحبه.",
    wrong: "لا يمكنك الرد باسم هذا المالك. اختر من القائمة.",
  },

  askAdmin: {
    title: "سؤال أحد مشرفي {company}",
    text: "قبل أن يعمل {app} باسم {company} يجب أن يوافق أحد المشرفين. عندها سيتمكن التطبيق من:",
    reason: "لماذا تحتاج إليه؟",
    hint: "يقرأ المشرفون هذا النص. {count} حرفًا على الأكثر.",
    wrong: "اكتب لماذا تحتاج إلى التطبيق، في {count} حرفًا على الأكثر.",
    tooMany: "لديك طلبات كثيرة لم يُرد عليها بعد. انتظر حتى يرد أحد المشرفين على بعضها.",
    submit: "إرسال الطلب",
    cancel: "عدم السؤال",
    askedTitle: "أُرسل الطلب إلى مشرفي {company}",
    askedText: "حين يوافق أحدهم، افتح {app} مرة أخرى. لم تتم مشاركة أي شيء حتى الآن.",
    back: "العودة إلى {app}",
  },
} as const satisfies Translation<typeof english, "zero" | "one" | "two" | "few" | "many" | "other">;
