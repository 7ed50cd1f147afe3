import { expect, it } from "vitest";
import { shortWordNames } from "../../scripts/page-word-names.mjs";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

const WORDS = `import { dictionary } from "./language.js";
export const wallWords = dictionary({
  en: { addCamera: "Add a camera", state: { lost: "Lost" }, on: "On" },
  ru: { state: { lost: "Нет связи" }, on: "Вкл.", addCamera: "Добавить камеру" },
});
`;

function shortenedIn(files: Readonly<Record<string, string>>, name: string): string {
  const root = new TemporaryDirectory("page-word-names");
  try {
    root.write(files);
    const text = files[name] ?? "";
    return shortWordNames([root.path])(text, root.join(name));
  } finally {
    root.remove();
  }
}

const IMPORT = `import { wallWords } from "./words/wall.js";\n`;
const files = (screen: string) => ({ "words/wall.ts": WORDS, "screen.ts": IMPORT + screen });
/** What becomes of a screen that reads words. */
const shortened = (screen: string) => shortenedIn(files(screen), "screen.ts").slice(IMPORT.length);

it("counts the names of a dictionary, in each language and where a word is read", () => {
  const screen = "const words = wallWords();\nuse(words.addCamera, wallWords().on, words.state.lost);\n";
  expect(shortened(screen)).toBe("const words = wallWords();\nuse(words.a, wallWords().c, words.b.lost);\n");
  const text = shortenedIn(files(screen), "words/wall.ts");
  expect(text).toContain('en: { a: "Add a camera", b: { lost: "Lost" }, c: "On" }');
  expect(text).toContain('ru: { b: { lost: "Нет связи" }, c: "Вкл.", a: "Добавить камеру" }');
});

it.each([
  ["taken apart", "const { on, state: all } = wallWords();\n", "const { c: on, b: all } = wallWords();\n"],
  [
    "beside others",
    "const [words] = [wallWords()];\nuse(words.on);\n",
    "const [words] = [wallWords()];\nuse(words.c);\n",
  ],
  [
    "within a function",
    "const words = wallWords();\nuse(() => words.on);\n",
    "const words = wallWords();\nuse(() => words.c);\n",
  ],
  [
    "and compared by a hook",
    "const words = wallWords();\nuseMemo(() => words.on, [words]);\n",
    "const words = wallWords();\nuseMemo(() => words.c, [words]);\n",
  ],
])("knows words that are %s", (_, screen, expected) => {
  expect(shortened(screen)).toBe(expected);
});

it.each([
  ["another object of the same name", "const words = wallWords();\nuse((words) => words.on);\n"],
  ["a member of the same name", "const words = wallWords();\nuse({ words: 1 }.words, { on: 1 }.on);\n"],
  ["what no dictionary gives", "const words = otherWords();\nuse(words.on);\n"],
])("leaves %s as it is", (_, screen) => {
  expect(shortened(screen)).toBe(screen);
});

it.each([
  ["a string has it", 'const words = wallWords();\nuse(words[name], words.on, "on", words.addCamera);\n'],
  [
    "another object has it",
    "const words = wallWords();\nuse(words[name], words.on, { on: 1 }, words.addCamera);\n",
  ],
])("leaves a name where words are read by computed names and %s", (_, screen) => {
  expect(shortened(screen)).toBe(screen.replace("words.addCamera", "words.a"));
});

it("leaves all names of a dictionary that is handed on", () => {
  const screen = "const words = wallWords();\nuse(words.on, show(words));\n";
  expect(shortened(screen)).toBe(screen);
});

it("counts past a name that stays", () => {
  const text = WORDS.replaceAll("on:", "a:");
  const screen = 'const words = wallWords();\nuse(words[name], "a", words.state);\n';
  const all = { "words/wall.ts": text, "screen.ts": IMPORT + screen };
  expect(shortenedIn(all, "words/wall.ts")).toContain(
    'en: { b: "Add a camera", c: { lost: "Lost" }, a: "On" }',
  );
});
