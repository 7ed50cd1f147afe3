import { expect, it } from "vitest";
import { shortWordNames } from "../../scripts/page-word-names.mjs";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

const WORDS = `import { dictionary } from "./language.js";
export const wallWords = dictionary({
  en: { addCamera: "Add a camera", state: { lost: "Lost" }, on: "On", quiet: "Quiet" },
  ru: { addCamera: "Добавить камеру", state: { lost: "Нет связи" }, on: "Вкл.", quiet: "Тихо" },
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

const files = (screen: string) => ({ "words/wall.ts": WORDS, "screen.ts": screen });

it("shortens a name in each language, and where it is read", () => {
  const all = files("const words = wallWords();\nuse(words.addCamera, wallWords().addCamera);\n");
  expect(shortenedIn(all, "screen.ts")).toBe("const words = wallWords();\nuse(words.a, wallWords().a);\n");
  expect(shortenedIn(all, "words/wall.ts")).toContain('en: { a: "Add a camera"');
  expect(shortenedIn(all, "words/wall.ts")).toContain('ru: { a: "Добавить камеру"');
});

it.each([
  ["it is a string somewhere", 'const words = wallWords();\nuse(words.addCamera, words["addCamera"]);\n'],
  ["another object has a member of that name", "use(wallWords().addCamera, { addCamera: 1 });\n"],
  ["it is read from what may be another object", "use(wallWords().addCamera, other.addCamera);\n"],
  ["it is taken apart", "const { addCamera } = wallWords();\nuse(addCamera, wallWords().addCamera);\n"],
])("leaves a name where %s", (_, screen) => {
  const all = files(screen);
  expect(shortenedIn(all, "screen.ts")).toBe(screen);
  expect(shortenedIn(all, "words/wall.ts")).toContain('en: { addCamera: "Add a camera"');
});

it("leaves the names below the first level, which values of the service choose", () => {
  const text = shortenedIn(files("use(wallWords().state.lost);\n"), "words/wall.ts");
  expect(text).toContain('{ lost: "Lost" }');
});

it("gives no name that is in use", () => {
  const all = files("use(wallWords().addCamera, { a: 1, b: 2 });\n");
  expect(shortenedIn(all, "screen.ts")).toContain("wallWords().c");
});
