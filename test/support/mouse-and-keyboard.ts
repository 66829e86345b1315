/** A person who uses a browser in a test: by mouse, or by keyboard with visible focus. */

import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { axe } from "./chromium.ts";
import { PASSWORD } from "./test-server.ts";

/** How the owner reaches elements, which are CSS selectors. */
export interface Hands {
  press(selector: string): Promise<void>;
  fill(selector: string, text: string): Promise<void>;
  toggle(selector: string): Promise<void>;
  /** Selects one day in place of the preselected 90 days. */
  chooseOneDay(): Promise<void>;
  /** Looks at the page at points where a person would. */
  look(): Promise<void>;
}

export function mouse(page: Page, withAxe: boolean): Hands {
  return {
    press: (selector) => page.locator(selector).click(),
    fill: (selector, text) => page.locator(selector).fill(text),
    toggle: (selector) => page.locator(selector).click(),
    async chooseOneDay() {
      await page.locator("select[name=duration]").selectOption("86400");
    },
    async look() {
      if (withAxe) expect(await axe(page), page.url()).toEqual([]);
    },
  };
}

/** Uses only the keyboard. Every element on the way must show the focus. */
export function keys(page: Page): Hands {
  async function tabTo(selector: string): Promise<void> {
    for (let stops = 0; stops < 60; stops += 1) {
      const at = (await page.evaluate(`(() => {
        const one = document.activeElement;
        const style = getComputedStyle(one);
        const ring = [one, one.closest("label")].some((each) => each !== null && getComputedStyle(each).outlineStyle !== "none");
        return {
          there: one.matches(${JSON.stringify(selector)}),
          shown: one === document.body || ring || style.boxShadow !== "none",
          what: one.outerHTML.slice(0, 120),
        };
      })()`)) as { there: boolean; shown: boolean; what: string };
      expect(at.shown, `no focus ring: ${at.what}`).toBe(true);
      if (at.there) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`${selector} can't be reached by Tab on ${page.url()}`);
  }
  const pressed = async (selector: string, key: string) => {
    await tabTo(selector);
    await page.keyboard.press(key);
  };
  return {
    press: (selector) => pressed(selector, "Enter"),
    toggle: (selector) => pressed(selector, "Space"),
    async fill(selector, text) {
      await tabTo(selector);
      await page.keyboard.type(text);
    },
    async chooseOneDay() {
      await tabTo("select[name=duration]");
      for (let up = 0; up < 3; up += 1) await page.keyboard.press("ArrowUp");
      expect(await page.locator("select[name=duration]").inputValue()).toBe("86400");
    },
    look: async () => undefined,
  };
}

/** Signs in on a page that asks for it. */
export async function signInBy(page: Page, hands: Hands, { username }: Pick<Person, "username">): Promise<void> {
  await hands.fill("input[name=username]", username);
  await hands.fill("input[name=password]", PASSWORD);
  await hands.look();
  await hands.press("main form.fields button[type=submit]");
  await page.waitForURL(/\/(consent|account)/);
}
