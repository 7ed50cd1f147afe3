import type { Locator } from "playwright-core";
import type { PageVisit } from "./page-visit.js";

/** What opens a menu, a panel, a dialog or a list, or shows more on the screen. */
const OPENERS = [
  "button[aria-expanded]:not(.tile:nth-child(n + 2) *)",
  "button[popovertarget]",
  "summary",
  ".wall-bar > button[aria-pressed]",
  ".playback-tools button",
]
  .map((selector) => `main ${selector}`)
  .join(", ");

const PANELS_TO_END =
  "for (const panel of document.querySelectorAll('.panel')) panel.scrollTo(0, panel.scrollHeight)";

/**
 * Opens each part of the screen, one after the other, and the list of keys; answers what axe-core finds wrong in any, with the
 * name of what was pressed.
 */
export async function violationsOfParts(visit: PageVisit): Promise<string[]> {
  const { page } = visit;
  const found: string[] = [];
  const look = async (name: string): Promise<void> => {
    // The button of a long panel covers what is scrolled below it; at the panel's end nothing is covered.
    await page.evaluate(PANELS_TO_END);
    found.push(...(await visit.violations()).map((violation) => `${name}: ${violation}`));
    if (await visit.isTooWide()) found.push(`${name}: too wide`);
  };
  const openers = page.locator(OPENERS).filter({ visible: true });
  // A tile shows its controls once it is chosen; those of one tile are those of all.
  const tile = page.locator(".tile").first();
  if ((await tile.count()) > 0) await tile.locator(".tile-surface").click();
  for (let index = 0; index < (await openers.count()); index += 1) {
    const opener = openers.nth(index);
    const name = (await opener.getAttribute("aria-label")) ?? (await opener.textContent()) ?? "";
    if ((await opener.locator("xpath=ancestor::li").count()) > 0) await tile.locator(".tile-surface").click();
    await opener.click();
    await look(name);
    await visit.shot(`part ${name}`);
    await page.keyboard.press("Escape");
    // What stays pressed or unfolded is taken back as it was opened.
    if ((await opener.count()) > 0 && (await isOpen(opener))) await opener.click();
  }
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await look("keys");
  await page.keyboard.press("Escape");
  return found;
}

/** A button that stays pressed, or a fold that is open. */
async function isOpen(opener: Locator): Promise<boolean> {
  const parent = opener.locator("xpath=..");
  return (
    (await opener.getAttribute("aria-pressed")) === "true" || (await parent.getAttribute("open")) !== null
  );
}
