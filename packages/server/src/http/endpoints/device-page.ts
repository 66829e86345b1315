/** The pages of a device that waits: its code, the question, what became of it. */

import type { Client } from "../../oauth/model.ts";
import type { DeviceRequest } from "../../oauth/storage.ts";
import { readUserCode, showUserCode } from "../../oauth/user-code.ts";
import { standingScopes } from "../../owners/consent.ts";
import type { OwnerChoice } from "../../owners/owner-choice.ts";
import type { Person, Session } from "../../owners/storage.ts";
import { consentPage, deviceCodePage, deviceDonePage, deviceElsewherePage } from "../../pages/index.ts";
import type { ConsentView, DeviceCodeView, DeviceDoneView, DeviceFacts, FormSecrets } from "../../pages/views.ts";
import type { Assent } from "../../server-parts.ts";
import type { PageContext } from "../chromes.ts";
import { networkOf } from "../client-address.ts";
import { type DeviceEntry, formToken, sealDeviceEntry } from "../forms.ts";
import { type Answer, type HttpRequest, page } from "../message.ts";
import type { Visitor } from "../visitor.ts";
import { deviceCard, signedInAs } from "./cards.ts";
import { type Again, durationChoices, durationsFor, inPublic, ownerOptions, scopeChoices } from "./consent-page.ts";

interface CodeShown {
  readonly typed: string;
  readonly linked?: boolean;
  readonly problem: DeviceCodeView["problem"];
  readonly status: number;
}

/** The field for the code. What came with it stays, so that a letter can be mended. */
export function codeAnswer(shown: CodeShown, visitor: Visitor, http: HttpRequest, assent: Assent): Answer {
  const userCode = readUserCode(shown.typed);
  const view: DeviceCodeView = {
    form: { csrf: formToken(assent.secrets, `browser:${visitor.nonce}`), request: null },
    userCode: userCode === undefined ? shown.typed : showUserCode(userCode),
    linked: shown.linked ?? false,
    problem: shown.problem,
  };
  return page(shown.status, deviceCodePage(view, assent.chrome(http, { here: "/device" })), "here", visitor.cookies);
}

/** A device whose code was right, and who is to answer it. */
export interface Waiting {
  readonly entry: DeviceEntry;
  readonly request: DeviceRequest;
  readonly client: Client;
  /** For whom the person may answer. */
  readonly choices: readonly OwnerChoice[];
  readonly person: Person;
  readonly session: Session;
  readonly visitor: Visitor;
  readonly http: HttpRequest;
}

/** The device asked from the network that its owner is on now. */
export function isNear({ request, http }: Waiting): boolean {
  return request.address !== null && networkOf(request.address) === networkOf(http.address);
}

export function deviceForm({ entry, session, visitor, client: { clientId } }: Waiting, assent: Assent): FormSecrets {
  const known = { ...entry, claimedBy: session.sessionId, clientId };
  return {
    csrf: formToken(assent.secrets, `session:${session.sessionId}`),
    request: null,
    device: sealDeviceEntry(assent.secrets, visitor.nonce, known),
  };
}

/** Where a page of the device is had again, in the colour of the client that it asks for. */
export function placeOf({ device }: FormSecrets, { accent = null }: Client): PageContext {
  return { accent, here: `/device/consent?device=${device ?? ""}` };
}

function factsOf(waiting: Waiting, assent: Assent): DeviceFacts {
  const { entry, request } = waiting;
  return {
    userCode: showUserCode(readUserCode(entry.userCode) ?? ""),
    address: request.address,
    sameNetwork: isNear(waiting),
    askedAt: request.createdAt,
    now: assent.now(),
  };
}

/** The extra question, where the device asked from another network. */
export function elsewhereAnswer(waiting: Waiting, assent: Assent): Answer {
  const form = deviceForm(waiting, assent);
  const chrome = assent.chrome(waiting.http, placeOf(form, waiting.client));
  const client = deviceCard(waiting.client, chrome.words.language);
  const view = { form, client, device: factsOf(waiting, assent) };
  return page(200, deviceElsewherePage(view, chrome), "here", waiting.visitor.cookies);
}

/** The consent page, with what the owner compares above it. `again`: what was wrong with the last answer. */
export async function deviceConsentAnswer(
  waiting: Waiting,
  choice: OwnerChoice,
  assent: Assent,
  again: Again | null,
): Promise<Answer> {
  const { choices, person, http, visitor, client } = waiting;
  const { scopes, reach, consent } = choice;
  const standing = standingScopes(consent, reach, assent.now());
  const form = deviceForm(waiting, assent);
  const chrome = assent.chrome(http, placeOf(form, client));
  const { language } = chrome.words;
  const view: ConsentView = {
    form,
    client: await inPublic(deviceCard(client, language), client, assent),
    person: signedInAs(person),
    owners: ownerOptions(choices, choice, person),
    scopes: await scopeChoices(choice, client, language, again, assent),
    durations: durationChoices(durationsFor(client, assent), again),
    device: factsOf(waiting, assent),
    allGranted: scopes.every(({ name }) => standing.has(name)),
    problem: again?.problem ?? null,
  };
  return page(again?.status ?? 200, consentPage(view, chrome), "here", visitor.cookies);
}

export function doneAnswer(
  client: Client,
  outcome: DeviceDoneView["outcome"],
  http: HttpRequest,
  assent: Assent,
): Answer {
  const chrome = assent.chrome(http, { accent: client.accent ?? null });
  return page(200, deviceDonePage({ client: deviceCard(client, chrome.words.language), outcome }, chrome));
}
