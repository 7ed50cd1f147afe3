import { describe, expect, it } from "vitest";
import {
  FIRST_VIEW_BYTES_MAX,
  PART_BYTES_MAX,
  partSizes,
  refuseHeavy,
} from "../../scripts/page/page-sizes.mjs";

const SOURCE = "/src/page";

/** A file of the program: what is in it, what it imports, and what it fetches later. */
function chunk(fileName: string, modules: readonly string[], imports: readonly string[] = []) {
  const moduleIds = modules.map((name) => `${SOURCE}/${name}`);
  return {
    ...{ fileName, moduleIds, imports, dynamicImports: [] as readonly string[] },
    ...{ isEntry: false, isDynamicEntry: false, facadeModuleId: moduleIds[0] ?? null },
  };
}

/** A page with a wall, and disks in the settings. */
const CHUNKS = [
  { ...chunk("main.js", ["main.ts", "wall/screen.tsx", "words/wall.ts"], ["shared.js"]), isEntry: true },
  chunk("shared.js", ["control/button.tsx"]),
  { ...chunk("wall-en.js", ["words/en/wall.ts"], ["since.js"]), isDynamicEntry: true },
  { ...chunk("wall-ru.js", ["words/ru/wall.ts"], ["since.js"]), isDynamicEntry: true },
  chunk("since.js", ["words/since.ts"]),
  {
    ...chunk("settings.js", ["settings/screen.tsx"], ["main.js", "form.js", "sections.js"]),
    isDynamicEntry: true,
  },
  { ...chunk("sections.js", ["settings/sections.ts"]), dynamicImports: ["disks.js"] },
  chunk("form.js", ["settings/save-form.tsx"], ["shared.js"]),
  {
    ...chunk(
      "disks.js",
      ["settings/disks/screen.tsx", "words/settings/smart.ts", "words/wall.ts"],
      ["form.js"],
    ),
    isDynamicEntry: true,
  },
  { ...chunk("smart-en.js", ["words/en/settings/smart.ts"]), isDynamicEntry: true },
  { ...chunk("smart-ru.js", ["words/ru/settings/smart.ts"]), isDynamicEntry: true },
];

const SIZES = new Map(
  Object.entries({
    ...{
      "index.html": 1,
      "main.js": 10,
      "shared.js": 20,
      "wall-en.js": 100,
      "wall-ru.js": 200,
      "since.js": 4,
    },
    ...{
      "settings.js": 700,
      "sections.js": 300,
      "form.js": 2000,
      "disks.js": 10_000,
      "smart-en.js": 100_000,
      "smart-ru.js": 200_000,
    },
  }),
);

describe("the sizes of the page's parts", () => {
  const { firstView, parts } = partSizes(CHUNKS, SIZES, ["index.html"]);

  it("count what the first view imports and the words of one language", () => {
    expect(firstView).toEqual({ en: 135, ru: 235 });
  });

  it("count of each further part what the first view does not have, with the screen around it", () => {
    expect(parts).toEqual({
      [`${SOURCE}/settings/screen.tsx`]: { en: 3000, ru: 3000 },
      [`${SOURCE}/settings/disks/screen.tsx`]: { en: 113_000, ru: 213_000 },
    });
  });

  it.each([
    [{ en: FIRST_VIEW_BYTES_MAX, ru: FIRST_VIEW_BYTES_MAX + 1 }, { en: 1, ru: 1 }, /first view.*"ru"/],
    [{ en: 1, ru: 1 }, { en: PART_BYTES_MAX + 1, ru: 1 }, /part events.*"en"/],
  ])("are refused above the bound: first view %o, part %o", (firstView, events, message) => {
    expect(() => refuseHeavy({ firstView, parts: { events } })).toThrow(message);
  });

  it("are taken at the bound", () => {
    const [first, part] = [FIRST_VIEW_BYTES_MAX, PART_BYTES_MAX];
    expect(() =>
      refuseHeavy({ firstView: { en: first, ru: first }, parts: { events: { en: part, ru: part } } }),
    ).not.toThrow();
  });
});
