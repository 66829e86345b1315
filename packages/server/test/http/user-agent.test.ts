import { expect, test } from "vitest";
import { coarse } from "../../src/http/connections/client-address.ts";
import { deviceOf } from "../../src/http/user-agent.ts";

test.each<readonly (string | null)[]>([
  [null, null, null],
  ["", null, null],
  ["curl/8.5.0", null, null],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox", "Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
    ...["Edge", "Windows"],
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
    ...["Safari", "macOS"],
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1",
    ...["Chrome", "iPhone"],
  ],
  [
    "Mozilla/5.0 (Linux; Android 16; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
    ...["Samsung Internet", "Android"],
  ],
])("%j → %j on %j", (userAgent = null, browser, system) => {
  expect(deviceOf(userAgent)).toEqual({ browser, system });
});

test.each([
  [null, null],
  ["", null],
  ["not an address", null],
  ["203.0.113.77", "203.0.113.x"],
  ["2001:db8:12:34::1", "2001:db8:12:…"],
  ["2001:db8::1", "2001:db8:0:…"],
  ["::1", "0:0:0:…"],
])("the address %j → about %j", (address, place) => {
  expect(coarse(address)).toBe(place);
});
