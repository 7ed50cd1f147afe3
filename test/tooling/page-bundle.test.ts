import { expect, it, onTestFinished } from "vitest";
import { bundlePage, firstSheet } from "../../scripts/page/page-bundle.mjs";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

const SHEET = `/* What is
said of it. */
.disk {
  color: red;
}
`;

/** A page with one screen that is opened later; `files` come to it. */
const PAGE = {
  "tsconfig.json": "{}",
  "main.ts": `import { shown } from "./control/button.js";\nshown(() => import("./disks/screen.js"));\n`,
  "control/button.ts": "export const shown = (open: () => unknown): void => void open();\n",
  "disks/screen.ts": `import "./disks.css";\nexport const screen = "disks";\n`,
  "disks/disks.css": SHEET,
  "style/tokens.css": ":root {\n  --good: green;\n}\n",
  ...{ "style/base.css": "", "control/control.css": ".button {\n  color: blue;\n}\n", "style/shell.css": "" },
  "wall/wall.css": ".wall {\n  color: white;\n}\n",
};

function pageWith(files: Readonly<Record<string, string>> = {}): string {
  const root = new TemporaryDirectory("page-bundle");
  onTestFinished(() => root.remove());
  root.write({ ...PAGE, ...files });
  return root.path;
}

it("a screen's style sheet comes with the screen, without comments and indents", async () => {
  const chunks = await bundlePage(pageWith());
  const holding = chunks
    .filter(({ code }) => code.includes("replaceSync"))
    .map(({ name, code }) => [name, code]);
  expect(holding).toEqual([["screen", expect.stringContaining(".disk {\ncolor: red;\n}")]]);
  expect(holding.join()).not.toContain("What is");
});

it("what is shown first is one file", async () => {
  const chunks = await bundlePage(pageWith());
  const [main, ...others] = chunks.filter(({ isDynamicEntry }) => !isDynamicEntry);
  expect([main?.imports, others]).toEqual([[], []]);
});

it("the first view's sheet has that of the wall last, and none of a further screen", () => {
  expect(firstSheet(pageWith())).toBe(
    ":root {\n--good: green;\n}\n.button {\ncolor: blue;\n}\n.wall {\ncolor: white;\n}\n",
  );
});

it("a sheet that no module imports is refused", async () => {
  await expect(bundlePage(pageWith({ "disks/lost.css": ".lost {\n}\n" }))).rejects.toThrow(
    "no module imports disks/lost.css",
  );
});

it("a class that two folders define is refused", () => {
  const source = pageWith({ "events/events.css": SHEET });
  expect(() => firstSheet(source)).toThrow("the class disk is defined in disks/ and in events/");
});
