/** German: apps that act while their owner is away, and their pause. */

import type { agents as english } from "../en/agents.ts";
import type { Translation } from "../translation.ts";

export const agents: Translation<typeof english, "one" | "other"> = {
  agents: {
    title: "Agenten",
    intro:
      "Diese Apps können nutzen, was Sie erlauben, während Sie nicht da sind. Sie können eine App pausieren und später fortsetzen, ohne sie noch einmal zu erlauben.",
    introCompany:
      "Diese Apps können nutzen, was {company} erlaubt, während niemand angemeldet ist. Sie können eine App für alle pausieren und später fortsetzen: Was erlaubt wurde, bleibt erhalten.",
    emptyTitle: "Keine App kann handeln, während Sie nicht da sind",
    emptyText: "Hier stehen Apps, die Zugriff behalten dürfen, während Sie nicht da sind.",
    emptyTitleOwn: "Keine App kann während Ihrer Abwesenheit für Ihr eigenes Konto handeln",
    ownOnly:
      "Diese Seite betrifft Ihr eigenes Konto. Apps, die in einem Unternehmen für Sie handeln, stehen auf der Seite des Unternehmens: {companies}",
    emptyTitleCompany: "Keine App kann handeln, während niemand angemeldet ist",
    emptyTextCompany: "Hier stehen Apps, die Zugriff für {company} behalten, während niemand angemeldet ist.",
    unusedTitle: "Derzeit von niemandem genutzt",
    unusedText:
      "Derzeit nutzt niemand diese Apps für {company}. Diese Apps bekommen keinen eigenen neuen Zugriff, bis jemand sie wieder verbindet. Den Zugriff, den die Apps schon haben, können sie noch kurz nutzen, längstens bis zum angegebenen Ende.",
    can: "Die App darf",
    keeps: "Behält Zugriff bis",
    keepsForever: "Sie ihn widerrufen",
    notAway: "Während Sie nicht da sind, bekommt die App keinen neuen Zugriff.",
    notAwayCompany: "Während niemand angemeldet ist, bekommt die App keinen neuen Zugriff.",
    endsResumed: "Falls fortgesetzt, endet der Zugriff",
    endsOn: "Falls wieder aktiviert, endet der Zugriff",
    lastResumed: "Falls fortgesetzt, endet die letzte Berechtigung",
    lastOn: "Falls wieder aktiviert, endet die letzte Berechtigung",
    keepsResumed: "Falls fortgesetzt, behält sie Zugriff bis",
    keepsOn: "Falls wieder aktiviert, behält sie Zugriff bis",
    canResumed: "Falls fortgesetzt, darf sie",
    canOn: "Falls wieder aktiviert, darf sie",
    uses: "Genutzt",
    useOne: "{api}, {when}",
    details: "Details",
    pausedSince:
      "Pausiert {when}. Die App bekommt keinen neuen Zugriff, bis Sie sie fortsetzen. Was Sie erlaubt haben, bleibt erhalten.",
    pausedSinceCompany:
      "Pausiert {when}. Die App bekommt keinen neuen Zugriff, bis die Verwaltung sie fortsetzt. Was erlaubt wurde, bleibt erhalten.",
    pausedOver:
      "Pausiert {when}. Was erlaubt wurde, ist seitdem abgelaufen. Die App bekommt keinen neuen Zugriff, bis sie hier fortgesetzt wird.",
    pausedHere:
      "Sie haben diese App {when} pausiert. Sie bekommt keinen neuen Zugriff. Unter {agents} können Sie sie fortsetzen.",
    pausedStill: {
      one: "Der bisherige Zugriff endet innerhalb von 1 Minute.",
      other: "Der bisherige Zugriff endet innerhalb von {count} Minuten.",
    },
    pause: "Pausieren",
    resume: "Fortsetzen",
    pauseAlso: "Dasselbe gilt für Apps, die über sie handeln.",
    pauseAtOnce: "Wenn Sie sie pausieren, endet der Zugriff sofort.",
    pauseSoon: {
      one: "Wenn Sie sie pausieren, endet der Zugriff innerhalb von 1 Minute.",
      other: "Wenn Sie sie pausieren, endet der Zugriff innerhalb von {count} Minuten.",
    },
    paused: "{app} ist pausiert und bekommt keinen neuen Zugriff, bis Sie die App fortsetzen.",
    pausedNow: "{app} ist pausiert.",
    pausedSoon: {
      one: "Der bisherige Zugriff endet spätestens um {time}, in höchstens 1 Minute.",
      other: "Der bisherige Zugriff endet spätestens um {time}, in höchstens {count} Minuten.",
    },
    resumed: "{app} wurde fortgesetzt und kann wieder nutzen, was Sie erlaubt haben.",
    resumedOver:
      "{app} wurde fortgesetzt. Was Sie erlaubt hatten, ist aber abgelaufen: Die App kann nichts davon nutzen.",
    appPaused: "Die App ist für alle pausiert. Sie bekommt keinen neuen Zugriff, bis die Verwaltung sie fortsetzt.",
    appResumed: "Die App wurde fortgesetzt. Sie kann wieder nutzen, was erlaubt wurde und nicht abgelaufen ist.",
    asksPaused:
      "Sie haben diese App {when} pausiert. Wenn Sie die App jetzt erlauben, wird sie mit dem fortgesetzt, was Sie zuvor erlaubt haben, außer was Sie hier abwählen. Sonst bleibt sie pausiert.",
    asksPausedFor:
      "Diese App wurde für {company} {when} pausiert. Wenn Sie die App jetzt erlauben, wird sie dort auch für alle mit dem fortgesetzt, was zuvor erlaubt wurde. Sonst bleibt sie pausiert.",
    asksPausedOver:
      "Sie haben diese App {when} pausiert. Was Sie erlaubt hatten, ist seitdem abgelaufen. Wenn Sie die App jetzt erlauben, wird sie fortgesetzt und bekommt nur, was angekreuzt ist. Sonst bleibt sie pausiert.",
    asksPausedOverFor:
      "Diese App wurde für {company} {when} pausiert. Was dort erlaubt wurde, ist seitdem abgelaufen. Wenn Sie die App jetzt erlauben, wird sie dort für alle fortgesetzt und bekommt nur, was angekreuzt ist. Sonst bleibt sie pausiert.",
    asksPausedNotAsked:
      "„{allow}“ gibt der App auch Berechtigungen zurück, nach denen sie jetzt nicht fragt: {permissions}",
    asksPausedForAll: "„{allow}“ gibt der App dort für alle zurück: {permissions}",
    nothingNew: "Wenn Sie davon nichts ankreuzen, gibt „{allow}“ der App nur zurück, was zuvor erlaubt wurde.",
    backEnds: "Wenn die App fortgesetzt wird, erhält sie das zurück, was Sie hier auch ankreuzen; das endet {when}",
    backNever: "Wenn die App fortgesetzt wird, erhält sie das zurück, was Sie hier auch ankreuzen, ohne Ende",
    allowAndResume: "Erlauben & fortsetzen",
    ownerPaused: "{company} (die Verwaltung hat diese App pausiert)",
    away: "Die App kann ohne Sie nutzen, was Sie erlauben, auch wenn Sie abgemeldet sind: bis zu dem Ende, das Sie wählen, oder bis Sie die App pausieren oder den Zugriff widerrufen.",
    awayEnd:
      "Die App kann ohne Sie nutzen, was Sie erlauben, auch wenn Sie abgemeldet sind: bis zu dem Ende, das Sie wählen, oder bis Sie den Zugriff beenden.",
    today: "Heute, bis {time}",
    awayAlways:
      "Diese App behält ihren Zugriff, während Sie nicht da sind, auch wenn Sie abgemeldet sind: bis die gewählte Zeit endet, oder bis Sie die App pausieren oder den Zugriff widerrufen.",
    awayAlwaysEnd:
      "Diese App behält ihren Zugriff, während Sie nicht da sind, auch wenn Sie abgemeldet sind: bis die gewählte Zeit endet, oder bis Sie den Zugriff beenden.",
  },
};
