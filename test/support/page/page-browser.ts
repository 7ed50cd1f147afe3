import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { expect } from "vitest";
import { PageVisit, type VisitOptions } from "./page-visit.js";

export const CHROMIUM = "/usr/bin/chromium";

/** Why the page's tests cannot run here; undefined where they can. For `skipIf` and `notHere`. */
export const noBrowser = existsSync(CHROMIUM) ? undefined : "chromium";

/** Longest time that a test waits for something on the page, milliseconds: against hanging alone. */
const PATIENCE_MS = 30_000;

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-background-networking",
  "--autoplay-policy=no-user-gesture-required",
  "--force-color-profile=srgb",
];

/**
 * Chromium for one test file: started with its first visit, ended by `close` in `afterAll`.
 *
 *   const browser = new PageBrowser();
 *   afterAll(() => browser.close());
 *   it("…", () => browser.visit(origin, { size: "phone" }, async (visit) => { await visit.logIn(); … }));
 */
export class PageBrowser {
  readonly #program: string;
  #browser: Promise<Browser> | undefined;

  /** `program`: one that starts Chromium, elsewhere. */
  constructor(program = CHROMIUM) {
    this.#program = program;
  }

  /**
   * Opens the page at `origin` (`http://127.0.0.1:8080`) as a person who comes for the first time, and closes it after `act`.
   * Fails when the page wrote an error to the console, broke its policy, or asked another host for anything.
   */
  async visit(
    origin: string,
    options: VisitOptions,
    act: (visit: PageVisit) => Promise<void>,
  ): Promise<void> {
    this.#browser ??= chromium.launch({ executablePath: this.#program, args: ARGUMENTS });
    const visit = await PageVisit.open(await this.#browser, origin, { patienceMs: PATIENCE_MS, ...options });
    try {
      await act(visit);
      expect(visit.problems, "what the page did wrong").toEqual([]);
    } catch (error) {
      await visit.shot(`failed ${expect.getState().currentTestName ?? ""}`).catch(() => undefined);
      throw error;
    } finally {
      await visit.close();
    }
  }

  async close(): Promise<void> {
    await (await this.#browser)?.close();
  }
}
