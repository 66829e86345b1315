/** Japanese: apps that a company's admins connect with other services. */

import type { companyConnections as english } from "../en/company-connections.ts";
import type { Translation } from "../translation.ts";

export const companyConnections: Translation<typeof english, "other"> = {
  companyConnections: {
    place: "連携",
    title: "{company} の連携",
    heading: "ほかのサービスと連携しているアプリ",
    intro:
      "連携したアプリは、一人ひとりに確認せずに、{company} のメンバーに代わってほかのサービスで操作できます。メンバーは、自分についてはいつでもアプリを止められます。",
    none: "{company} では、ほかのサービスと連携しているアプリはありません。",
    nothing: "現在、このサービスの運営者が提供している連携はありません。",
    connect: "アプリを連携する",
    pair: "{app} と {server}",
    may: "{server} でできること",
    could: "{server} でできたこと",
    at: "{server} のアドレス：",
    states: {
      on: "連携中",
      operator: "運営者が連携",
      ended: "終了",
      withdrawn: "提供終了",
      altered: "提供内容が変更",
      blocked: "アプリはブロック中",
      paused: "アプリは一時停止中",
    },
    hints: {
      on: "{when} まで連携しています。",
      operator: "このサービスの運営者が {company} のために連携しました。止めるには、アプリをブロックしてください。",
      ended: "{when} に終了しました。アプリはこれによって何も得られません。",
      withdrawn:
        "このサービスの運営者は、これを提供しなくなりました。アプリはこれによって何も得られません。再び提供されると、アプリはまた利用できるようになります。それを防ぐには、この連携を削除してください。",
      altered:
        "このサービスの運営者が提供内容を変更しました。もう一度連携するまで、アプリはこれによって何も得られません。",
      blocked: "{company} がアプリをブロックしているため、アプリはこれによって何も得られません。",
      paused:
        "管理者が {company} でアプリを一時停止しました。管理者が再開するまで、アプリはこの連携によって新たに何も得られません。再開すると、連携は再び有効になります。",
    },
    by: "{person} が {when} に連携しました。",
    since: "{when} に連携しました。",
    change: "変更",
    again: "もう一度連携する",
    remove: "解除",
    previous: "前のページ",
    next: "次のページ",
    find: "アプリをほかのサービスと連携する",
    findText: "このサービスの運営者が提供しているものです。アプリとサービスを選んでください。",
    search: "アプリまたはサービスの名前で検索",
    searchNone: "この文字を名前に含むものは提供されていません。",
    choose: "選択",
    connected: "連携済み",
    back: "すべての連携",
    question: "{app} を {server} と連携しますか？",
    forWhom:
      "{company} のために {app} を使うメンバーだけが対象で、アプリの規則が許す範囲に限られます。メンバー自身のアカウントには影響しません。",
    learns:
      "{server} には、メンバーが誰であるかが伝わります：識別子、確認済みのメールアドレス、ここでいつどのようにログインしたか。",
    learnsYou:
      "{server} には、あなたが誰であるかが伝わります：識別子、確認済みのメールアドレス、ここでいつどのようにログインしたか。",
    blocked: "{company} はこのアプリをブロックしています。先にアプリの規則を変更してください。",
    rule: "{app} の規則",
    permissions: "{app} が {server} でできること",
    apis: "サービスの次のアドレスに限る",
    submit: "連携する",
    save: "保存",
    removeQuestion: "{app} と {server} の連携を解除しますか？",
    removeText:
      "{app} は、{company} のメンバーについて {server} で新しいアクセスを得られなくなります。すでに得たアクセスは、{server} が終了させるまで続きます。",
    removeStays: "メンバーがここで {app} に許可したことは、そのまま残ります。",
    lasts: "{app} が {server} ですでに得たアクセスは、{server} が終了させるまで続きます。",
    memberText: "{company} が {server} と連携しました。そこであなたに代わってできること：",
    memberUncovered:
      "{company} が {server} と連携しましたが、アプリの規則はあなたを対象にしていません。管理者が承認するまで、アプリはそこであなたについて新しいアクセスを得られません。",
    onlyCovered: "{app} が {server} で新しいアクセスを得るのは、{app} を接続できるメンバーについてだけです。",
    allOnlyCovered:
      "連携先のサービスでアプリが新しいアクセスを得るのは、そのアプリを接続できるメンバーについてだけです。",
    consentText:
      "{company} はこのアプリを {server} と連携しています。{company} として許可すると、アプリはそこでもあなたに代わって次のことができます：",
    until: "{when} まで。",
    problems: {
      scopes: "権限を 1 つ以上選んでください。",
      duration: "期限を選んでください。",
    },
    notices: {
      connected: "アプリを連携しました。",
      saved: "連携を変更しました。",
      removed: "連携を解除しました。アプリはそこで新しいアクセスを得られません。",
      changed: "その間に、ほかの人が変更しました。何も保存されていません。もう一度確認してください。",
      blocked: "アプリはブロックされています。何も保存されていません。",
      full: "連携がすでに 100 件あります。先に 1 件解除してください。",
      gone: "それはもうありません。何も変更されていません。",
    },
    events: {
      connected: "メンバーのために {app} が {server} と連携されました",
      changed: "{app} と {server} の連携が変更されました",
      removed: "{app} と {server} の連携が解除されました",
    },
  },
};
