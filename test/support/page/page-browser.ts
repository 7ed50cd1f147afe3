import type { Browser } from "playwright-core";
import { expect } from "vitest";
import { launchChromium, SAME_COLORS, sharedChromium } from "../media/chromium.js";
import { PageVisit, type VisitOptions } from "./page-visit.js";

export { CHROMIUM, noBrowser } from "../media/chromium.js";

/** Longest time that a test waits for something on the page, milliseconds: against hanging alone. */
const PATIENCE_MS = 60_000;

/** Visits that other tests may spoil by changing the machine's network. */
const VISITS_MAX = 3;

/**
 * Chromium for one test file: that of the process, which other files use too, or one of the file's own, started with its
 * first visit and ended by `close` in `afterAll`.
 *
 *   const browser = new PageBrowser();
 *   afterAll(() => browser.close());
 *   it("…", () => browser.visit(origin, { size: "phone" }, async (visit) => { await visit.logIn(); … }));
 */
export class PageBrowser {
  readonly #program: string | undefined;
  #own: Promise<Browser> | undefined;

  /** `program`: one that starts Chromium, elsewhere. */
  constructor(program?: string) {
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
    for (let visits = 1; visits < VISITS_MAX; visits += 1)
      if (await this.#isVisited(origin, options, act, true)) return;
    await this.#isVisited(origin, options, act, false);
  }

  /** False, where it may be repeated: it failed while another test changed the machine's network. */
  async #isVisited(
    origin: string,
    options: VisitOptions,
    act: (visit: PageVisit) => Promise<void>,
    mayRepeat: boolean,
  ): Promise<boolean> {
    const visit = await PageVisit.open(await this.#browser(), origin, {
      patienceMs: PATIENCE_MS,
      ...options,
    });
    try {
      await act(visit);
      expect(visit.problems, "what the page did wrong").toEqual([]);
      return true;
    } catch (error) {
      if (mayRepeat && visit.networkChanged) return false;
      await visit.keepPicture(`failed ${expect.getState().currentTestName ?? ""}`).catch(() => undefined);
      throw error;
    } finally {
      await visit.close();
    }
  }

  #browser(): Promise<Browser> {
    if (this.#program === undefined) return sharedChromium();
    this.#own ??= launchChromium(SAME_COLORS, this.#program);
    return this.#own;
  }

  async close(): Promise<void> {
    await (await this.#own)?.close();
  }
}
