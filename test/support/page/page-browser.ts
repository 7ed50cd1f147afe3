import type { Browser } from "playwright-core";
import { expect } from "vitest";
import { PATIENCE_MS } from "../base/patience.js";
import { launchChromium, SAME_COLORS, sharedChromium } from "../media/chromium.js";
import { PageVisit, type VisitOptions } from "./page-visit.js";

export { CHROMIUM, noBrowser } from "../media/chromium.js";

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
  /** The page that stays open from one `goOn` to the next, and how it was opened. */
  #lasting: { readonly visit: PageVisit; readonly openedAs: string } | undefined;
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

  /**
   * As `visit`, by the person of the call before with the same options: the page is still open, `logIn` finds them logged in
   * already, and the screen of the address begins anew. Opening the page and logging in takes more processor time than most
   * tests do. It is for tests of one login that keep to their own screen: preferences and open panels stay. A test that fails
   * leaves none of its page to the next.
   */
  async goOn(origin: string, options: VisitOptions, act: (visit: PageVisit) => Promise<void>): Promise<void> {
    const { address = "" } = options;
    const openedAs = openedAsOf(origin, options);
    const last = this.#lasting;
    this.#lasting = undefined;
    const goesOn = last?.openedAs === openedAs && last.visit.page.isClosed() === false;
    if (!goesOn) await last?.visit.close();
    const visit = goesOn
      ? last.visit
      : await PageVisit.open(await this.#browser(), origin, { patienceMs: PATIENCE_MS, ...options });
    try {
      if (goesOn) visit.goOn(address);
      await act(visit);
      expect(visit.problems.join("\n"), "what the page did wrong").toBe("");
      await visit.leave();
    } catch (error) {
      await visit.keepPicture(`failed ${expect.getState().currentTestName ?? ""}`).catch(() => undefined);
      await visit.close();
      if (!visit.networkChanged) throw error;
      return await this.visit(origin, options, act);
    }
    this.#lasting = { visit, openedAs };
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
      expect(visit.problems.join("\n"), "what the page did wrong").toBe("");
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
    await this.#lasting?.visit.close();
    this.#lasting = undefined;
    await (await this.#own)?.close();
  }
}

/** The same for visits that open their page in the same way, but for the address. */
function openedAsOf(origin: string, options: VisitOptions): string {
  const { address: _, allow = [], ...others } = options;
  const defaults = { size: "desktop", theme: "light", language: "en" };
  const opened = { ...defaults, ...others, allow: allow.map(String) };
  return JSON.stringify([
    origin,
    ...Object.entries(opened).sort(([one], [other]) => one.localeCompare(other)),
  ]);
}
