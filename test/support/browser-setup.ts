/** Before any browser test: have a Chromium at hand, so that no test's time limit pays for unpacking one. */

import { findChromium } from "./browser.ts";

export default function setup(): void {
  findChromium();
}
