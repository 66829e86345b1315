/** Arabic: apps that a company's admins connect with other services. */

import type { companyConnections as english } from "../en/company-connections.ts";
import type { Translation } from "../translation.ts";

export const companyConnections: Translation<typeof english, "zero" | "one" | "two" | "few" | "many" | "other"> = {
  companyConnections: {
    place: "الروابط",
    title: "روابط {company}",
    heading: "تطبيقات مرتبطة بخدمات أخرى",
    intro:
      "يستطيع التطبيق المرتبط أن يتصرف نيابة عن أعضاء {company} في خدمة أخرى من دون أن يسأل كل واحد منهم. ويبقى بوسع كل عضو أن يوقف التطبيق لنفسه.",
    none: "لا يوجد تطبيق مرتبط بخدمة أخرى لصالح {company}.",
    nothing: "لا يعرض مشغّل هذه الخدمة شيئًا للربط في الوقت الحالي.",
    connect: "ربط تطبيق",
    pair: "{app} مع {server}",
    may: "يجوز له في {server}",
    could: "كان يجوز له في {server}",
    at: "عنوان {server} هو",
    states: {
      on: "مرتبط",
      operator: "ربطه المشغّل",
      ended: "انتهى",
      withdrawn: "لم يعد معروضًا",
      altered: "تغيّر العرض",
      blocked: "التطبيق محظور",
      paused: "التطبيق موقوف مؤقتًا",
    },
    hints: {
      on: "مرتبط حتى {when}.",
      operator: "ربطه مشغّل هذه الخدمة لصالح {company}. لإيقافه، احظر التطبيق.",
      ended: "انتهى {when}. لا يحصل التطبيق بذلك على شيء.",
      withdrawn:
        "لم يعد مشغّل هذه الخدمة يعرض ذلك. لا يحصل التطبيق بذلك على شيء. إذا عُرض مجددًا، أمكن للتطبيق استخدامه مجددًا. لمنع ذلك، أزل الربط.",
      altered: "غيّر مشغّل هذه الخدمة العرض. لا يحصل التطبيق بذلك على شيء حتى تربطه من جديد.",
      blocked: "تحظر {company} التطبيق، فلا يحصل بذلك على شيء.",
      paused:
        "أوقف مشرف التطبيق مؤقتًا لصالح {company}. إلى أن يستأنفه مشرف، لا يحصل التطبيق بهذا الربط على شيء جديد. وبعد ذلك يعمل الربط من جديد.",
    },
    by: "ربطه {person} {when}.",
    since: "رُبط {when}.",
    change: "تغيير",
    again: "الربط من جديد",
    remove: "إزالة",
    previous: "الصفحة السابقة",
    next: "الصفحة التالية",
    find: "ربط تطبيق بخدمة أخرى",
    findText: "هذا ما يعرضه مشغّل هذه الخدمة. اختر التطبيق والخدمة.",
    search: "ابحث باسم التطبيق أو الخدمة",
    searchNone: "لا يوجد عرض يحتوي اسمه على ذلك.",
    choose: "اختيار",
    connected: "مرتبط بالفعل",
    back: "كل الروابط",
    question: "هل تريد ربط {app} مع {server}؟",
    forWhom:
      "فقط للأعضاء الذين يستخدمون {app} لصالح {company}، وفي حدود ما تسمح به قاعدة التطبيق. ولا تتأثر حساباتهم الخاصة.",
    learns: "يعرف {server} من هو العضو: معرّف، وعنوان البريد الإلكتروني المؤكَّد، ومتى وكيف سجّل الدخول هنا.",
    learnsYou: "يعرف {server} من أنت: معرّف، وعنوان البريد الإلكتروني المؤكَّد، ومتى وكيف سجّلت الدخول هنا.",
    blocked: "تحظر {company} هذا التطبيق. غيّر قاعدة التطبيق أولًا.",
    rule: "قاعدة {app}",
    permissions: "ما يجوز لـ {app} فعله في {server}",
    apis: "فقط مع عناوين الخدمة هذه",
    submit: "ربط",
    save: "حفظ",
    removeQuestion: "هل تريد إزالة ربط {app} مع {server}؟",
    removeText:
      "لن يحصل {app} على وصول جديد في {server} لأعضاء {company}. أما الوصول الذي لديه هناك فيبقى حتى ينهيه {server}.",
    removeStays: "يبقى ما سمح به الأعضاء لـ {app} هنا.",
    lasts: "أما الوصول الذي لدى {app} في {server} فيبقى حتى ينهيه {server}.",
    memberText: "ربطته {company} مع {server}. ويجوز له هناك نيابة عنك:",
    memberUncovered:
      "ربطته {company} مع {server}، لكن قاعدة التطبيق لا تشملك. ولن يحصل التطبيق هناك على شيء جديد نيابة عنك حتى يوافق عليه مشرف.",
    onlyCovered: "يحصل {app} على وصول جديد في {server} للأعضاء الذين يجوز لهم ربطه فقط.",
    allOnlyCovered: "في الخدمات المرتبطة، تحصل التطبيقات على وصول جديد للأعضاء الذين يجوز لهم ربطها فقط.",
    consentText: "ربطت {company} هذا التطبيق مع {server}. إذا سمحت به باسم {company} فيجوز له هناك أيضًا نيابة عنك:",
    until: "حتى {when}.",
    problems: {
      scopes: "اختر إذنًا واحدًا على الأقل.",
      duration: "اختر حتى متى.",
    },
    notices: {
      connected: "تم ربط التطبيق.",
      saved: "تم تغيير الربط.",
      removed: "تمت إزالة الربط. لن يحصل التطبيق هناك على وصول جديد.",
      changed: "غيّر شخص ذلك في هذه الأثناء. لم يُحفظ شيء. راجعه من جديد.",
      blocked: "التطبيق محظور. لم يُحفظ شيء.",
      full: "هناك 100 ربط بالفعل. أزل واحدًا أولًا.",
      gone: "لم يعد ذلك موجودًا. لم يتغيّر شيء.",
    },
    events: {
      connected: "رُبط {app} مع {server} للأعضاء",
      changed: "تغيّر ربط {app} مع {server}",
      removed: "أُزيل ربط {app} مع {server}",
    },
  },
};
