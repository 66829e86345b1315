/** The call with which the operator's application or directory tells of a change to one of its people. */

import { authenticateClient } from "../../oauth/client-authentication/index.ts";
import { refuse } from "../../oauth/errors.ts";
import type { Client } from "../../oauth/model.ts";
import { type Parameters, parseOrRefuse } from "../../oauth/parameters.ts";
import type { OAuthContext } from "../../oauth/ports.ts";
import type { TokenRequest } from "../../oauth/token-endpoint/endpoint.ts";
import { foreignSubject } from "../canonical-login.ts";
import type { ForeignSubject } from "../subject-link-storage.ts";
import type { UpstreamChange, UpstreamChangeOutcome } from "../upstream-change-storage.ts";
import { EXISTING_PEOPLE } from "./password-keeper.ts";
import type { Elsewhere } from "./sign-in-elsewhere.ts";
import {
  type ApplicationChanges,
  applicationSource,
  type ChangeSource,
  type UpstreamChangeContext,
  upstreamChanged,
} from "./upstream-change.ts";

export interface ReceiveChangeContext {
  readonly oauth: OAuthContext;
  readonly elsewhere: Pick<Elsewhere, "providers">;
  /** Absent: the application may not tell of any. */
  readonly application?: ApplicationChanges | undefined;
  readonly changes: UpstreamChangeContext;
}

const CHANGES: readonly UpstreamChange[] = ["disabled", "enabled", "deleted", "signed_out"];

/** Throws a refusal. The client is authenticated first, so that nobody else learns who is known here. */
export async function receiveUpstreamChange(
  request: TokenRequest,
  context: ReceiveChangeContext,
): Promise<UpstreamChangeOutcome> {
  const { single } = parseOrRefuse(request.body);
  const client = await authenticateClient({ ...request, parameters: single }, context.oauth);
  if (client.type === "public") refuse("client_has_no_secret", "a public client may not tell of changes");
  const change = CHANGES.find((one) => one === single.get("change"));
  const subject = foreignSubject(single.get("subject") ?? "");
  if (change === undefined || subject === undefined) return refuse("upstream_change_malformed");
  const { at, source } = await sourceOf(single, client, context);
  return upstreamChanged({ ...at, subject }, change, source, context.changes);
}

/** The provider that `provider` names, or the operator's application if it is absent. */
async function sourceOf(
  single: Parameters,
  { clientId }: Client,
  { elsewhere, application }: ReceiveChangeContext,
): Promise<{ readonly at: Omit<ForeignSubject, "subject">; readonly source: ChangeSource }> {
  const id = single.get("provider");
  if (id === undefined) {
    if (!application?.clients.includes(clientId)) return refuse("upstream_change_not_allowed", "for the application");
    return { at: { issuerId: EXISTING_PEOPLE, claim: null }, source: applicationSource(application) };
  }
  const provider = (await elsewhere.providers()).get(id);
  if (provider?.status !== "active" || !provider.changeClients?.includes(clientId))
    return refuse("upstream_change_not_allowed", "for this provider");
  const { whenDisabled = "keep", issuer } = provider;
  const source = { name: provider.name, whenDisabled, wholePerson: false, ofCompany: provider.company !== undefined };
  return { at: { issuerId: provider.id, claim: issuer }, source };
}
