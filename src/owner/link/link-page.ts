import { createHash } from "node:crypto";
import { BYTES_PER_MB, type Language, US_PER_MS } from "../../base/index.js";
import type { Answer, Headers } from "../../http/index.js";
import { LINK_WORDS } from "./link-words.js";

/** One small page without scripts, whose style stands in it: nothing else is fetched but the video. */
const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0; background: light-dark(#f6f7f9, #14171c); color: light-dark(#1b1f24, #e7eaee); }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.25rem; overflow-wrap: anywhere; }
video { display: block; width: 100%; max-height: 75vh; background: #000; border-radius: 0.5rem; }
p { margin: 0.75rem 0; }
.hint { color: light-dark(#59636e, #a3abb5); }
.fault { color: light-dark(#b3261e, #ff9b91); }
form { display: grid; gap: 0.75rem; max-width: 20rem; }
label { display: grid; gap: 0.25rem; }
input, button, .button { font: inherit; padding: 0.6rem 0.9rem; border-radius: 0.4rem; box-sizing: border-box; }
input { border: 1px solid light-dark(#6b7580, #8a939d); background: light-dark(#fff, #1d2127); color: inherit; }
button, .button { display: inline-block; border: 0; background: #1257c9; color: #fff; text-decoration: none; cursor: pointer; }
:focus-visible { outline: 3px solid light-dark(#1257c9, #8ab8ff); outline-offset: 2px; }
`;
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** What the page may do: show its style and its video, and send its form. */
const POLICY = [
  "default-src 'none'",
  "media-src 'self'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Also of the file, whose address is as secret. */
export const LINK_HEADERS: Headers = [
  ["Cache-Control", "private, no-store"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  // Not no-referrer: with it a browser would say of the form that it comes from nowhere.
  ["Referrer-Policy", "same-origin"],
  ["X-Robots-Tag", "noindex, nofollow"],
];

export const VIDEO_NAME = "video.mp4";

interface ShownLink {
  readonly language: Language;
  readonly token: string;
  readonly name: string;
  readonly bytes: number;
  readonly untilUs: number;
}

/** The file with a player. */
export function videoPage({ language, token, name, bytes, untilUs }: ShownLink): Answer {
  const words = LINK_WORDS[language];
  const video = escaped(`${token}/${VIDEO_NAME}`);
  return pageAnswer(200, language, name, [
    `<p class="hint">${escaped(words.intro)}</p>`,
    `<video controls playsinline preload="metadata" src="${video}"></video>`,
    `<p><a class="button" href="${video}" download>${escaped(words.save(sizeWords(bytes, language)))}</a></p>`,
    `<p class="hint">${escaped(words.saveHint)} ${escaped(words.until(timeWords(untilUs, language)))}</p>`,
  ]);
}

/** The question for the password, and what was wrong with the one before. */
export function passwordPage(language: Language, status: 200 | 401 | 429, fault = ""): Answer {
  const words = LINK_WORDS[language];
  const isWrong = fault === "" ? "" : ` aria-invalid="true" aria-describedby="fault"`;
  return pageAnswer(status, language, words.password, [
    `<p>${escaped(words.passwordHint)}</p>`,
    `<form method="post">`,
    `<label>${escaped(words.password)}<input type="password" name="password" maxlength="128" autocomplete="off" required autofocus${isWrong}></label>`,
    fault === "" ? "" : `<p class="fault" id="fault" role="alert">${escaped(fault)}</p>`,
    `<div><button>${escaped(words.open)}</button></div>`,
    "</form>",
  ]);
}

/** Whatever is the reason: who guesses learns nothing. */
export function gonePage(language: Language): Answer {
  const words = LINK_WORDS[language];
  return pageAnswer(404, language, words.gone, [`<p>${escaped(words.goneHint)}</p>`]);
}

export function busyPage(language: Language): Answer {
  const words = LINK_WORDS[language];
  return pageAnswer(429, language, words.busy, []);
}

function pageAnswer(status: number, language: Language, title: string, body: readonly string[]): Answer {
  const html = [
    "<!doctype html>",
    `<html lang="${language}">`,
    `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<title>${escaped(title)}</title><style>${STYLE}</style></head>`,
    `<body><main><h1>${escaped(title)}</h1>`,
    ...body,
    "</main></body></html>",
  ];
  return {
    status,
    headers: [
      ["Content-Type", "text/html; charset=utf-8"],
      ["Content-Security-Policy", POLICY],
      ["X-Frame-Options", "DENY"],
      ...LINK_HEADERS,
    ],
    body: Buffer.from(html.filter((line) => line !== "").join("\n")),
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? "");
}

function sizeWords(bytes: number, language: Language): string {
  const megabytes = Math.max(0.1, bytes / BYTES_PER_MB);
  const digits = { maximumFractionDigits: megabytes < 10 ? 1 : 0 };
  return new Intl.NumberFormat(language, { style: "unit", unit: "megabyte", ...digits }).format(megabytes);
}

/** By the recorder's clock, with its zone. */
function timeWords(us: number, language: Language): string {
  const parts = { dateStyle: "long", timeStyle: "short" } as const;
  const time = new Date(us / US_PER_MS);
  const zone = new Intl.DateTimeFormat(language, { timeZoneName: "short" })
    .formatToParts(time)
    .find(({ type }) => type === "timeZoneName");
  return `${new Intl.DateTimeFormat(language, parts).format(time)} ${zone?.value ?? ""}`.trim();
}
