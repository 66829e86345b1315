/** Finds or unpacks Chromium before the browser tests, so that unpacking doesn't count against a test's time limit. */

import { findChromium } from "./chromium.ts";

export default function setup(): void {
  findChromium();
}
