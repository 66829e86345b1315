/** Arabic: passwords that the operator's application keeps. */

import type { kept as english } from "../en/kept.ts";
import type { Translation } from "../translation.ts";

export const kept: Translation<typeof english, "zero" | "one" | "two" | "few" | "many" | "other"> = {
  kept: {
    forgot: "إذا كنت تسجّل الدخول بكلمة مرورك في {application}، فاختر كلمة مرور جديدة هناك.",
    forgotLink: "كلمة مرور جديدة في {application}",
    here: "لأي حساب آخر، أدخل اسم المستخدم أو عنوان بريدك الإلكتروني. سنرسل إليك رابطًا.",
    unchecked: "لا يمكن التحقق من كلمات المرور حاليًا. أعد المحاولة بعد دقيقة، أو سجّل الدخول بطريقة أخرى.",
    password: "تسجّل الدخول بكلمة مرورك في {application}. لا يمكنك تغييرها إلا هناك.",
    change: "تغييرها في {application}",
    profile:
      "يحدّد {application} اسمك وعنوان بريدك الإلكتروني كلما سجّلت الدخول بكلمة مرورك في {application}. غيّرهما هناك.",
  },
};
