/** Chromium's virtual authenticator, for passkeys in tests. */

import type { CDPSession, Page } from "playwright-core";

export interface Virtual {
  readonly cdp: CDPSession;
  readonly authenticatorId: string;
}

/** Like a laptop with a fingerprint reader. */
export async function withAuthenticator(page: Page): Promise<Virtual> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return { cdp, authenticatorId };
}

/** A browser without passkeys in autofill, so that people need the button. */
export async function noOffers(page: Page): Promise<void> {
  await page.addInitScript("PublicKeyCredential.isConditionalMediationAvailable = async () => false");
}
