import { expect, it } from "vitest";
import { browserName } from "../../src/page/account/browser-name.js";

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";

it.each([
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/156.0.0.0 Safari/537.36`, "Chrome", "Windows"],
  [`Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/156.0 Safari/537.36 Edg/156.0`, "Edge", "Windows"],
  [`Mozilla/5.0 (Linux; Android 16) ${WEBKIT} Chrome/156.0 Mobile Safari/537.36`, "Chrome", "Android"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0", "Firefox", "Linux"],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 Version/19.1 Mobile/15E148 Safari/604.1",
    "Safari",
    "iPhone",
  ],
  ["curl/8.5.0", "curl", undefined],
  ["", undefined, undefined],
])("%j is called by its name and system", (userAgent, browser, system) => {
  expect([browserName(userAgent).browser, browserName(userAgent).system]).toEqual([browser, system]);
});
