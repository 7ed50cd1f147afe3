/** What a browser calls itself, and on which system; undefined for what it does not say. */
export interface BrowserName {
  readonly browser?: string;
  readonly system?: string;
}

/** The first that fits: most browsers also name those before them. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bYaBrowser\//, "Yandex Browser"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Headless)?(?:Chrome|CriOS)\//, "Chrome"],
  [/\bVersion\/.*\bSafari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** Reads a `User-Agent` header; a program that is no browser is called by its first word. */
export function browserName(userAgent: string): BrowserName {
  const named = (list: typeof BROWSERS) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = named(BROWSERS) ?? userAgent.split(/[\s/(]/, 1)[0];
  const system = named(SYSTEMS);
  return {
    ...(browser === undefined || browser === "" ? {} : { browser }),
    ...(system === undefined ? {} : { system }),
  };
}
