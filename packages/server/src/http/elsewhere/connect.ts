/** `/account/security/connect`: a person connects an account at another provider to their own. */

import { hashes } from "../../crypto/node-hashes.ts";
import { seal, unseal } from "../../crypto/seal.ts";
import type { Millis } from "../../oauth/model.ts";
import { companyOf, mayConnect } from "../../owners/identities/sign-in-at-company.ts";
import { connect, isIdentityOf, subjectAt } from "../../owners/identities/sign-in-elsewhere.ts";
import type { SignInProvider } from "../../owners/identities/sign-in-provider.ts";
import type { UpstreamIdentity } from "../../owners/identities/upstream-identity.ts";
import type { Person } from "../../owners/person.ts";
import { connectIdentityPage } from "../../pages/index.ts";
import type { Visitor } from "../browser-of-request.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { signedInAs } from "../endpoints/client-and-person-views.ts";
import { freshly, securityAfter } from "../endpoints/security.ts";
import { newsOf } from "../factor-change-input.ts";
import { formToken } from "../form-token.ts";
import { type Answer, formOf, page, redirect } from "../http-message.ts";
import { activeProvider, begin } from "./begin.ts";

/** How long the question whether to connect may stay open. */
const PROOF_TTL: Millis = 600_000;
const MAX_PROOF = 4_096;
/** Characters of a name or address that the question shows. */
const MAX_SHOWN = 120;
const PURPOSE = "identity to connect";

/** What a sign-in at a provider proved, for the session that asked for it. */
interface Proof {
  readonly providerId: string;
  readonly identity: UpstreamIdentity;
  readonly provedAt: Millis;
}

/** "Connect": the way to the provider. */
export const beginConnect = freshly("security", async ({ person, session, http, visitor }, tools: FlowTools) => {
  const provider = await providerFor(person, formOf(http).get("provider") ?? "", tools);
  if (provider === undefined) return securityAfter("account-closed", visitor.cookies, tools);
  const arrival = { visitor, http, continuation: undefined, flow: undefined };
  const beginning = { connects: session.sessionId, fresh: false, choose: true, mfa: false, loginHint: null };
  const answer = await begin(provider, beginning, arrival, tools);
  return answer.status === 303 ? answer : securityAfter("account-failed", visitor.cookies, tools);
});

/** After the sign-in at the provider. `connects`: the session that asked for it. */
export function toConnect(
  connects: string,
  { id: providerId }: SignInProvider,
  identity: UpstreamIdentity,
  { signedIn, cookies }: Visitor,
  tools: FlowTools,
): Answer {
  // Somebody else has signed in in this browser meanwhile, or nobody is signed in any more.
  if (signedIn?.session.sessionId !== connects) return securityAfter("account-failed", cookies, tools);
  // The question shows one of these texts. The address of its page carries all of them.
  const [email, username, name] = [identity.email, identity.username, identity.name].map(
    (text) => text?.slice(0, MAX_SHOWN) ?? null,
  );
  const plain = Buffer.from(
    JSON.stringify([
      providerId,
      { ...identity, groups: [], details: {}, picture: null, email, username, name },
      tools.now(),
    ]),
  );
  const sealed = Buffer.from(seal(tools.secrets, PURPOSE, connects, plain)).toString("base64url");
  return redirect(303, `${tools.issuer}/account/security/connect?identity=${sealed}`, cookies);
}

/** Equal for all spellings of one proof: the last character of base64url has bits without a meaning. */
function keyOf(sealed: string): string {
  return hashes.sha256(Buffer.from(sealed, "base64url").toString("base64url"));
}

/** Undefined: it is not from this server, is too old, or belongs to another session. */
function openProof(sealed: string | null, sessionId: string, { secrets, now }: FlowTools): Proof | undefined {
  if (sealed === null || sealed.length > MAX_PROOF || !/^[A-Za-z0-9_-]+$/.test(sealed)) return undefined;
  const plain = unseal(secrets, PURPOSE, sessionId, Buffer.from(sealed, "base64url"));
  if (plain === undefined) return undefined;
  const [providerId, identity, provedAt] = JSON.parse(plain.toString()) as [string, UpstreamIdentity, Millis];
  return now() - provedAt > PROOF_TTL ? undefined : { providerId, identity, provedAt };
}

/** The active provider with that id, if the person may connect an account there. */
async function providerFor(person: Person, id: string, tools: FlowTools): Promise<SignInProvider | undefined> {
  const provider = await activeProvider(id, tools);
  return provider !== undefined && (await mayConnect(person, provider, tools.elsewhere.people)) ? provider : undefined;
}

/** The question. It names both accounts. */
export const showConnect = freshly("security", async ({ person, session, http, visitor }, tools: FlowTools) => {
  const sealed = new URLSearchParams(http.query).get("identity");
  const proof = openProof(sealed, session.sessionId, tools);
  const provider = proof && (await providerFor(person, proof.providerId, tools));
  if (sealed === null || proof === undefined) return securityAfter("account-failed", visitor.cookies, tools);
  if (provider === undefined) return securityAfter("account-closed", visitor.cookies, tools);
  const company = await companyOf(provider, tools.elsewhere.people);
  const { email, username, name } = proof.identity;
  const view = {
    ...{ csrf: formToken(session, tools), identity: sealed, provider: provider.name },
    company: company?.name ?? null,
    ...{ account: email ?? username ?? name, person: signedInAs(person) },
  };
  const chrome = tools.chrome(http, { here: `${http.path}?${http.query}` });
  return page(200, connectIdentityPage(view, chrome), "here", visitor.cookies);
});

/** The answer "Connect". One proof connects once. */
export const submitConnect = freshly("security", async ({ person, session, http, visitor }, tools: FlowTools) => {
  const sealed = formOf(http).get("identity");
  const proof = openProof(sealed, session.sessionId, tools);
  const provider = proof && (await providerFor(person, proof.providerId, tools));
  if (sealed === null || proof === undefined) return securityAfter("account-failed", visitor.cookies, tools);
  if (provider === undefined) return securityAfter("account-closed", visitor.cookies, tools);
  const subject = subjectAt(provider, proof.identity);
  if (subject === undefined) return securityAfter("account-failed", visitor.cookies, tools);
  const { elsewhere } = tools;
  const used = { kind: "identity to connect", key: keyOf(sealed), until: proof.provedAt + PROOF_TTL };
  if (!(await elsewhere.useOnce({ ...used, now: tools.now() }))) {
    // The second click of a double click.
    const done = await isIdentityOf(person, provider, proof.identity, elsewhere.people);
    return securityAfter(done ? "account-connected" : "account-failed", visitor.cookies, tools);
  }
  const asked = { provider, subject, madeBy: "person" } as const;
  switch (await connect(person, asked, newsOf(http, tools), elsewhere.people)) {
    case "connected":
      return securityAfter("account-connected", visitor.cookies, tools);
    case "known":
      return securityAfter("account-known", visitor.cookies, tools);
    case "taken":
      return securityAfter("account-taken", visitor.cookies, tools);
    case "other":
      return securityAfter("account-other", visitor.cookies, tools);
    case "unknown":
      return securityAfter("account-failed", visitor.cookies, tools);
  }
});
