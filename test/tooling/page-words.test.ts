import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";
import { shortWordNames } from "../../scripts/page-word-names.mjs";
import { packWords } from "../../scripts/page-words.mjs";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";

const PAGE = join(REPOSITORY_ROOT, "src", "page");
const FOLDER = join(PAGE, "words");

type Words = Readonly<Record<string, unknown>>;
interface Module {
  readonly language: { value: string };
  readonly all: Readonly<Record<string, Readonly<Record<string, () => Words>>>>;
}

/** The words of all screens in each language, with functions as what they say of five things. */
async function wordsOf(plugin?: ReturnType<typeof packWords>): Promise<unknown> {
  const names = readdirSync(FOLDER).filter((name) => name !== "language.ts");
  const lines = names.map((name, at) => `import * as m${at} from "${join(FOLDER, name)}";`);
  const all = names.map((name, at) => `${JSON.stringify(name)}: m${at}`).join(", ");
  const code = `${lines.join("\n")}\nexport { language } from "${join(FOLDER, "language.ts")}";\nexport const all = { ${all} };`;
  const build = await rolldown({
    cwd: PAGE,
    input: "entry",
    platform: "browser",
    tsconfig: join(PAGE, "tsconfig.json"),
    resolve: { extensionAlias: { ".js": [".ts", ".tsx", ".js"] } },
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === "entry" ? id : undefined),
        load: (id) => (id === "entry" ? code : undefined),
      },
      ...(plugin === undefined ? [] : [plugin]),
    ],
  });
  const file = join(await temporaryDirectory(), "words.mjs");
  await build.write({ file, format: "esm", codeSplitting: false });
  await build.close();
  const module = (await import(file)) as Module;
  return Object.fromEntries(
    ["en", "ru"].map((language) => {
      module.language.value = language;
      return [language, plain(module.all)];
    }),
  );
}

function plain(value: unknown): unknown {
  if (typeof value === "function") {
    const made: unknown = value.length === 0 ? value() : value(5, 5, 5);
    return typeof made === "function" ? undefined : plain(made);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, plain(own)]));
}

it("the build leaves each word of each language as the sources have it", async () => {
  expect(await wordsOf(packWords())).toEqual(await wordsOf());
});

it("the build writes Russian letters with a byte each, and the page reads them", async () => {
  const isRussian = (id: string) => id.endsWith("?ru");
  expect(await wordsOf(packWords(undefined, isRussian))).toEqual(await wordsOf());
});

it("the build gives each word the name by which the screens read it", async () => {
  const short = shortWordNames([PAGE]);
  const packed = texts(await wordsOf(packWords(short)));
  expect(packed.length).toBeGreaterThan(2000);
  expect(packed).toEqual(
    texts(await wordsOf({ ...packWords(short), load: (id) => shortenedWords(id, short) })),
  );
});

/** A module of words with the names that screens read, and no other change. */
function shortenedWords(id: string, short: (code: string, file: string) => string) {
  if (!id.startsWith(FOLDER) || id.endsWith("language.ts")) return undefined;
  return { code: short(readFileSync(id, "utf8"), id), moduleType: "ts" as const };
}

/** All texts with the names under which they are, in the order of these. */
function texts(value: unknown, path = ""): readonly string[] {
  if (typeof value !== "object" || value === null) return [`${path}: ${value}`];
  return Object.entries(value)
    .flatMap(([name, own]) => texts(own, `${path}.${name}`))
    .sort();
}
