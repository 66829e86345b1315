/** Japanese: what is written to people. */
import type { mail as english } from "../en/mail.ts";
import type { Translation } from "../translation.ts";

export const mail = {
  mail: {
    open: "ボタンが使えない場合は、次のアドレスを開いてください:",
    footer: "このメールは {host} の {product} が送りました。返信しても読まれません。",
    facts: { when: "日時", browser: "ブラウザー", address: "ネットワークアドレス", reason: "理由" },
    kinds: {
      recover: {
        subject: "新しいパスワードを決めてください",
        text: "アカウント {person} の新しいパスワードが求められました。おそらくあなたご自身です。リンクは 15 分間、1 回だけ使えます。",
        button: "新しいパスワードを決める",
        hint: "心当たりがなければ、何もしないでください。パスワードはそのままです。",
      },
      signUp: {
        subject: "新しいアカウントの作成を続けてください",
        text: "アドレス {email} でアカウントを作ろうとしている人がいます。おそらくあなたご自身です。リンクは 1 時間、1 回だけ使えます。",
        button: "アカウントを作る",
        hint: "心当たりがなければ、何もしないでください。アカウントは作られません。",
      },
      known: {
        subject: "すでにアカウントがあります",
        text: "アドレス {email} をアカウントに使おうとした人がいます。おそらくあなたご自身です。このアドレスのアカウントはすでにあります: {person}",
        button: "サインイン",
        hint: "パスワードがわからない場合は、サインインのページから新しく決められます。心当たりがなければ、何もしないでください。何も変更されていません。",
      },
      verify: {
        subject: "あなたのメールアドレスですか？",
        text: "アカウント {person} にアドレス {email} が登録されています。あなたのものであることを確認してください。リンクは 1 時間、1 回だけ使えます。",
        button: "はい、私のものです",
        hint: "このアカウントに心当たりがなければ、何もしないでください。",
      },
      change: {
        subject: "新しいメールアドレス",
        text: "アカウント {person} のアドレスを {email} にしようとしています。リンクは 1 時間、1 回だけ使えます。",
        button: "このアドレスを使う",
        hint: "このアカウントに心当たりがなければ、何もしないでください。何も変更されません。",
      },
      changed: {
        subject: "メールアドレスが変更されました",
        text: "アカウント {person} のアドレスは {email} になりました。今後、こちらのアドレスにはメールが届きません。",
        button: "身に覚えがないので元に戻す",
        hint: "ご自身で変更した場合は、何もしないでください。リンクは 7 日間、1 回だけ使えます。アドレスを元に戻し、新しいパスワードを決められます。",
      },
      passwordChanged: {
        subject: "パスワードが変更されました",
        text: "アカウント {person} のパスワードが {when} に変更されました。",
        button: "身に覚えがないので新しく決める",
        hint: "ご自身で変更した場合は、何もしないでください。",
      },
      signIn: {
        subject: "アカウントへの新しいサインイン",
        text: "これまでに見たことのないブラウザーから {person} としてサインインがありました。",
        button: "アカウントを確認する",
        hint: "ご自身の場合は、何もしないでください。そうでなければ、今すぐパスワードを変更してください。",
      },
      deletion: {
        subject: "アカウントが削除されます",
        text: "ご希望のとおり、アカウント {person} は、保存されているあなたの情報とともに {when} に削除されます。アプリはすでに利用できなくなりました。",
        button: "アカウントを残す",
        hint: "それまではサインインして残すことができます。そのあとは、だれにも元に戻せません。",
      },
      companyRequest: {
        subject: "{by} さんが {company} でのアプリの利用を求めています",
        text: "{by} さんが、{company} で {app} を使えるようにしてほしいと求めています。",
        button: "決める",
        hint: "{company} の管理者であるため、このメールをお送りしています。",
      },
      companyApproved: {
        subject: "{company} で {app} を使えるようになりました",
        text: "{company} の管理者が、ご依頼のとおり {app} を承認しました。",
        button: "{company} へ",
        hint: "アプリからもう一度始めてください。",
      },
      companyRefused: {
        subject: "{company} で {app} は承認されませんでした",
        text: "{company} の管理者が、ご依頼の {app} を承認しませんでした。",
        button: "{company} へ",
        hint: "それでも必要な場合は、{company} の管理者に相談してください。",
      },
      companyInvitation: {
        subject: "{company} への招待",
        text: "{by} さんがあなたを {company} に招待しています。招待は {when} まで、1 回だけ使えます。",
        button: "招待を見る",
        hint: "{company} に心当たりがなければ、何もしないでください。",
      },
    },
  },
} as const satisfies Translation<typeof english, "other">;
