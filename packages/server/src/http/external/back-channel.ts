/** `/external-sign-in/…`: the back end of the operator's own sign-in page reads and answers challenges. */

import type { Config } from "../../config.ts";
import type { Secrets } from "../../crypto/server-secret.ts";
import type { TokenRequest } from "../../oauth/token-endpoint/endpoint.ts";
import {
  type AnswerChallengeContext,
  acceptChallenge,
  readChallenge,
  rejectChallenge,
} from "../../owners/identities/answer-challenge.ts";
import type { Elsewhere } from "../../owners/identities/sign-in-elsewhere.ts";
import { type BackChannelTools, guarded } from "../endpoints/oauth-endpoints.ts";
import { openChallenge, sealAnswer, verifiersOf } from "./challenge.ts";

interface ExternalTools extends BackChannelTools {
  readonly oauth: BackChannelTools["oauth"] & AnswerChallengeContext["oauth"];
  readonly elsewhere: Pick<Elsewhere, "people">;
  readonly secrets: Secrets;
  readonly config: Pick<Config, "externalSignIn">;
}

/** The client authenticates as at the token endpoint, and its failures are counted there, too. */
function forPage(use: (form: TokenRequest, context: AnswerChallengeContext) => Promise<unknown>) {
  return guarded((form, { issuer, oauth, elsewhere: { people }, secrets, config }: ExternalTools) =>
    use(form, {
      ...{ page: config.externalSignIn, issuer, oauth, people },
      open: (sealed) => openChallenge(sealed, secrets),
      seal: (answer, challengeId) => sealAnswer(answer, challengeId, secrets),
      verifiersOf: (answer, challengeId) => verifiersOf(answer, challengeId, secrets),
    }),
  );
}

export const submitReadChallenge = forPage(readChallenge);
export const submitAcceptChallenge = forPage(acceptChallenge);
export const submitRejectChallenge = forPage(rejectChallenge);
