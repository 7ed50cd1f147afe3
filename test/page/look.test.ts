import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstSheet } from "../../scripts/page/page-bundle.mjs";
import { notHere } from "../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { launchChromium } from "../support/media/chromium.js";
import { violationsOf } from "../support/page/accessibility.js";
import { noBrowser } from "../support/page/page-browser.js";
import { SCREENSHOTS, SIZES, type Size } from "../support/page/page-visit.js";

const SOURCE = join(REPOSITORY_ROOT, "src", "page");
const LOOKS = (["desktop", "phone"] as const).flatMap((size) =>
  (["light", "dark"] as const).map((theme) => ({ size, theme })),
);

let browser: Browser;
let program: string;

beforeAll(async () => {
  if (noBrowser !== undefined) return;
  browser = await launchChromium();
  program = await galleryProgram();
});

afterAll(() => browser?.close());

/** The sheet's program as one script. */
async function galleryProgram(): Promise<string> {
  const build = await rolldown({
    ...{ cwd: SOURCE, input: join(SOURCE, "gallery.tsx"), platform: "browser" },
    tsconfig: join(SOURCE, "tsconfig.json"),
    resolve: { extensionAlias: { ".js": [".ts", ".tsx", ".js"] } },
    checks: { bundlerTimings: false },
  });
  const { output } = await build.generate({ format: "iife", name: "gallery", codeSplitting: false });
  await build.close();
  return output[0].code;
}

/** What a pointer and the keyboard do is forced, as no more than one thing can be pointed at. */
async function forceStates(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("DOM.enable");
  await session.send("CSS.enable");
  const { root } = await session.send("DOM.getDocument", { depth: -1 });
  for (const state of ["hover", "focus-visible", "active"]) {
    const { nodeIds } = await session.send("DOM.querySelectorAll", {
      nodeId: root.nodeId,
      selector: `[data-force="${state}"] :is(button, input, select)`,
    });
    expect(nodeIds.length).toBeGreaterThan(0);
    for (const nodeId of nodeIds)
      await session.send("CSS.forcePseudoState", { nodeId, forcedPseudoClasses: [state] });
  }
}

async function withSheet(
  { size, theme }: { readonly size: Size; readonly theme: "light" | "dark" },
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({
    ...{ viewport: SIZES[size], colorScheme: theme, isMobile: size === "phone", hasTouch: size === "phone" },
  });
  try {
    const page = await context.newPage();
    await page.setContent(
      `<!doctype html><html lang="en"><head><title>nvrd ${size} ${theme}</title><meta name="viewport" content="width=device-width"><style>${firstSheet(SOURCE)}</style></head><body></body></html>`,
    );
    await page.addScriptTag({ content: program });
    await page.evaluate("gallery.showGallery(document)");
    await look(page);
  } finally {
    await context.close();
  }
}

describe.skipIf(noBrowser !== undefined)(`the sheet of controls${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("has nothing that axe-core finds wrong, at $size size, $theme; a picture is kept", (look) =>
    withSheet(look, async (page) => {
      await forceStates(page);
      mkdirSync(SCREENSHOTS, { recursive: true });
      const path = join(SCREENSHOTS, `look-${look.size}-${look.theme}.png`);
      await page.screenshot({ path, fullPage: true });
      expect(await violationsOf(page)).toEqual([]);
    }),
  );

  it("has larger controls for fingers", () =>
    withSheet({ size: "phone", theme: "light" }, async (page) => {
      const heights = await page.evaluate<number[]>(
        "[...document.querySelectorAll('[data-force=\"\"] .button')].map(({ offsetHeight }) => offsetHeight)",
      );
      expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
    }));
});
