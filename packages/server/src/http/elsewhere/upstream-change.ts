/** `/upstream/change`: the operator's application or directory tells of a change to one of its people. */

import type { Config } from "../../config.ts";
import { type ReceiveChangeContext, receiveUpstreamChange } from "../../owners/identities/receive-upstream-change.ts";
import type { SessionContext } from "../../owners/sessions.ts";
import { type BackChannelTools, guarded } from "../endpoints/oauth-endpoints.ts";

interface ChangeTools extends BackChannelTools {
  readonly oauth: BackChannelTools["oauth"] & ReceiveChangeContext["oauth"];
  readonly elsewhere: ReceiveChangeContext["elsewhere"];
  readonly sessions: SessionContext & ReceiveChangeContext["changes"];
  readonly config: Pick<Config, "people">;
}

/** The client authenticates as at the token endpoint, and its failures are counted there, too. */
export const submitUpstreamChange = guarded(
  async (form, { oauth, elsewhere, sessions: changes, config }: ChangeTools) => {
    const application = config.people?.changes;
    const { kind, sessionsEnded } = await receiveUpstreamChange(form, { oauth, elsewhere, application, changes });
    return { result: kind, sessions_ended: sessionsEnded };
  },
);
