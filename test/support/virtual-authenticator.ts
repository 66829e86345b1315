/** Chromium's own authenticator in software: passkeys without a finger. */

import type { CDPSession, Page } from "playwright-core";

export interface Virtual {
  readonly cdp: CDPSession;
  readonly authenticatorId: string;
}

/** As a laptop with a fingerprint reader has it. */
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

/** A browser that offers no passkeys behind fields: the button is what is left. */
export async function noOffers(page: Page): Promise<void> {
  await page.addInitScript("PublicKeyCredential.isConditionalMediationAvailable = async () => false");
}
