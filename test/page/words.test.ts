import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fetchWords } from "../../src/page/words/dictionary.js";
import { counted, LANGUAGES, type Language, language } from "../../src/page/words/language.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

const FOLDER = join(REPOSITORY_ROOT, "src", "page", "words");
const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
  .filter((name) => /^(?:settings\/)?\w+\.ts$/.test(name))
  .filter((name) => !["dictionary.ts", "language.ts", "since.ts"].includes(name));
/** What is written the same in Russian: names of protocols, settings, formats, keys and units. */
const NAMES =
  /(?<!\w)(?:Let's Encrypt|nvr\.example\.org|HMAC|LDAP|ldaps?|ldap[A-Z]\w+|starttls|NVRD-PASSWORD\.txt|nvrd password reset|nvrd-(?:hub|box)|nvrd-password-reset\.txt|root-password|nvrd|root|RAID|HTTPS?|STARTTLS|StartTLS|TLS|PEM|TCP|UDP|RTSP|ONVIF|PTZ|MP4|JPEG|H\.26[45]|AAC|G\.711|FFmpeg|libx264|libavcodec|apt install --reinstall(?: nvrd)?|SHA-256|UTC|API|IP|IPv[46]|DHCP|DNS|NTP|fd00|local|GUID|CodeProject\.AI|DeepStack|Frigate|MQTT|S3|age(?:-keygen|1)?|http:\/\/[\d.:]+|ntfy|notify|Debian|NetworkManager|nmtui|networkctl reload|netplan try|ifdown|ifup|\/etc(?:\/[\w-]+)+|Telegram|Discord|Slack|Mattermost|Matrix|Element|Pushover|Gotify|Home Assistant|@BotFather|@userinfobot|Esc|Shift|Ctrl|Home|End)\b/g;

/** The same in every language. */
const SIGNS = /: HD$/;

type Word = string | ((...args: unknown[]) => string) | { readonly [key: string]: Word };

/** The words of a file in a language. */
async function wordsOf(file: string, name: Language): Promise<Word> {
  const module = (await import(join(FOLDER, file))) as Record<string, () => Word>;
  await fetchWords(name);
  language.value = name;
  const dictionaries = Object.entries(module).filter(([key]) => key.endsWith("Words"));
  return Object.fromEntries(dictionaries.map(([key, words]) => [key, words()]));
}

/** Each word with its way; a function is asked for its words about two things and five. */
function leaves(word: Word, way = ""): [string, string][] {
  if (typeof word === "string") return [[way, word]];
  if (typeof word === "object")
    return Object.entries(word).flatMap(([key, next]) => leaves(next, `${way}.${key}`));
  return [2, 5].map((count) => [`${way}(${count})`, word(count, count, count)]);
}

// Files that run in this process after this one read English.
afterAll(() => {
  language.value = "en";
});

describe("the page's words", () => {
  it.each(files)("%s has the same words in each language, and none is empty", async (file) => {
    const found = await Promise.all(LANGUAGES.map(async (name) => leaves(await wordsOf(file, name))));
    const ways = found.map((list) => list.map(([way]) => way).toSorted());
    expect(ways.length).toBeGreaterThan(0);
    for (const list of ways) expect(list).toEqual(ways[0]);
    for (const list of found) expect(list.filter(([, text]) => text.trim() === "")).toEqual([]);
  });

  it.each(files)("%s is Russian in Russian", async (file) => {
    const words = leaves(await wordsOf(file, "ru"));
    const foreign = words.filter(([, text]) => /[a-z]/i.test(text.replace(NAMES, "")));
    expect(foreign).toEqual([]);
  });

  it.each([
    ["en", ["1 event", "2 events", "5 events", "21 events", "1,000 events"]],
    ["ru", ["1 событие", "2 события", "5 событий", "21 событие", "1\u00a0000 событий"]],
  ] as const)("counts as %s does", (name, expected) => {
    language.value = name;
    const forms =
      name === "en"
        ? { one: "event", other: "events" }
        : { one: "событие", few: "события", many: "событий", other: "события" };
    expect([1, 2, 5, 21, 1000].map((count) => counted(count, forms))).toEqual(expected);
  });

  it("are in the dictionaries alone: no screen has a text of its own but a sign", () => {
    const page = join(REPOSITORY_ROOT, "src", "page");
    const screens = readdirSync(page, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".tsx"),
    );
    const found = screens.flatMap((name) => {
      const text = readFileSync(join(page, name), "utf8");
      const between = [...text.matchAll(/>\s*([A-Za-zА-я][^<>{}()=;]*)<\//g)].map((match) => match[1]);
      const named = [...text.matchAll(/\b(?:label|title|placeholder|aria-label|alt|hint)="([^"]+)"/g)];
      return [...between, ...named.map((match) => match[1])].map((word) => `${name}: ${word}`);
    });
    expect(found.filter((text) => !SIGNS.test(text))).toEqual([]);
  });
});
