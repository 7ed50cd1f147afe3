import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { REPOSITORY_ROOT } from "../base/repository.js";
import { ROOT_PASSWORD } from "../service/service.js";
import { violationsOf } from "./accessibility.js";

/** Where pictures of the page go; for people to look at. */
export const SCREENSHOTS = join(REPOSITORY_ROOT, "build", "screenshots");

/** By `npx vitest run FILE` and `npm run torture`. */
const KEEPS_PICTURES = process.env.NVRD_TEST_MODULES === undefined;

export const SIZES = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
} as const;
export type Size = keyof typeof SIZES;

/** The page's languages, and what a browser calls them. */
const LOCALES = { en: "en-GB", ru: "ru-RU" } as const;

export interface VisitOptions {
  /** Default: desktop. A phone is touched, and has no mouse. */
  readonly size?: Size;
  /** The viewport, where it is none of the two. */
  readonly viewport?: { readonly width: number; readonly height: number };
  /** The screen is touched; default: a phone's is. */
  readonly isTouched?: boolean;
  /** The colours that the system asks for; default: light. */
  readonly theme?: "light" | "dark";
  /** The browser's language; default: en. */
  readonly language?: keyof typeof LOCALES;
  /** What the browser calls its language, where it is none of the page's. */
  readonly locale?: string;
  /** Default: UTC, as the service of the tests has it. */
  readonly timeZone?: string;
  /** Lines of the console that this test causes on purpose. */
  readonly allow?: readonly RegExp[];
  readonly patienceMs?: number;
  /** The fragment that the page is opened with, for example `#/events`. */
  readonly address?: string;
  /** Nobody is logged in: for tests of the login and of sessions. Default: root may be, by a session of a visit before. */
  readonly isNobody?: boolean;
}

/** How screens are looked at: the two that differ most in `npm test`, all by NVRD_TEST_PAGE_LOOKS=all (`npm run torture`). */
export const LOOKS = (
  [
    { size: "desktop", theme: "light", language: "en" },
    { size: "phone", theme: "dark", language: "ru" },
    { size: "desktop", theme: "dark", language: "ru" },
    { size: "phone", theme: "light", language: "en" },
  ] as const
).slice(0, process.env.NVRD_TEST_PAGE_LOOKS === "all" ? 4 : 2);

/**
 * Chromium ends the requests that are under way when an interface of the machine comes or goes, also one of another test.
 * That is no fault of the page.
 */
const NETWORK_CHANGED =
  /net::ERR_(?:NETWORK_CHANGED|NETWORK_IO_SUSPENDED|INTERNET_DISCONNECTED)|interrupted by another navigation to "chrome-error:/;

/**
 * How opening the page may fail once without anybody's fault: by the network, or because the machine is so busy that the
 * service or the browser was not there in time.
 */
const MAY_BE_TRIED_AGAIN = new RegExp(
  `${NETWORK_CHANGED.source}|net::ERR_(?:CONNECTION|SOCKET|ADDRESS|EMPTY_RESPONSE|ABORTED|TIMED_OUT|FAILED)|interrupted by another navigation|Timeout \\d+ms exceeded`,
);

/** The screen that shows no camera. */
const QUIET_SCREEN = "#/account";

/** Each attempt to open the page, and all of them with the pauses between: against hanging alone. */
const OPENED_WITHIN_MS = 60_000;
const OPENED_AGAIN_UNTIL_MS = 60_000;
const OPENED_AGAIN_AFTER_MS = 1000;

interface Point {
  readonly x: number;
  readonly y: number;
}

type Cookies = Awaited<ReturnType<BrowserContext["cookies"]>>;

/**
 * Root's session at each origin. Filling in the form, checking the password and opening the page again take as much processor
 * time as most tests do.
 */
const rootSessions = new Map<string, Cookies>();

/** The page opened by one person: a context of its own, so that nobody else's preferences are there. */
export class PageVisit {
  readonly page: Page;
  /** What must not happen: errors on the console, broken policies, requests to other hosts. */
  readonly problems: string[] = [];
  /** Another test changed the machine's network meanwhile: what failed may have failed by that. */
  networkChanged = false;
  readonly #context: BrowserContext;
  readonly #origin: string;
  readonly #options: VisitOptions;
  /** Where `logIn` brings a person who is logged in already. */
  #nextAddress: string | undefined;
  /** The page was opened with root's session. */
  #isRoot = false;

  private constructor(page: Page, origin: string, options: VisitOptions) {
    this.page = page;
    this.#context = page.context();
    this.#origin = origin;
    this.#options = options;
    this.#listen();
  }

  static async open(browser: Browser, origin: string, options: VisitOptions): Promise<PageVisit> {
    const { size = "desktop", theme = "light", language = "en", timeZone = "UTC" } = options;
    const context = await browser.newContext({
      viewport: options.viewport ?? SIZES[size],
      hasTouch: options.isTouched ?? size === "phone",
      isMobile: size === "phone",
      colorScheme: theme,
      locale: options.locale ?? LOCALES[language],
      timezoneId: timeZone,
      reducedMotion: "reduce",
    });
    if (options.patienceMs !== undefined) context.setDefaultTimeout(options.patienceMs);
    const visit = new PageVisit(await context.newPage(), origin, options);
    try {
      await visit.#takeSession();
      await visit.#goto(visit.#firstAddress());
    } catch (error) {
      await visit.close();
      throw error;
    }
    return visit;
  }

  #firstAddress(): string {
    return `${this.#origin}/${this.#options.address ?? ""}`;
  }

  async #takeSession(): Promise<void> {
    const session = this.#options.isNobody === true ? undefined : rootSessions.get(this.#origin);
    if (session === undefined) return;
    await this.#context.addCookies(session);
    this.#isRoot = true;
  }

  /** Nobody is logged in any more; the page shows its form. */
  async #becomeNobody(): Promise<void> {
    this.#isRoot = false;
    await this.#context.clearCookies();
    await this.#goto(this.#firstAddress());
    await this.page.reload();
    // What was under way is refused, and the page says so on the console.
    this.problems.length = 0;
  }

  /** Somebody without a login opens the page here. */
  async openAsNobody(): Promise<void> {
    // The page would look for news meanwhile, be refused, and begin anew by itself.
    await this.page.goto("about:blank");
    await this.#context.clearCookies();
    await this.#goto(this.#origin);
  }

  async #goto(address: string): Promise<void> {
    for (const begunMs = performance.now(); ; ) {
      try {
        await this.page.goto(address, { timeout: OPENED_WITHIN_MS });
        return;
      } catch (error) {
        const isLate = performance.now() - begunMs > OPENED_AGAIN_UNTIL_MS;
        if (isLate || this.page.isClosed() || !MAY_BE_TRIED_AGAIN.test(`${error}`)) throw error;
        await new Promise((resolve) => setTimeout(resolve, OPENED_AGAIN_AFTER_MS));
        // What it said of the attempt that failed is no fault of the page.
        this.problems.length = 0;
      }
    }
  }

  /**
   * Waits for the first screen, after the form is filled in where the page was not opened with a session of root; who has gone
   * on (`goOn`) is brought to the next address.
   */
  async logIn(login = "root", password = ROOT_PASSWORD): Promise<void> {
    const isRoot = login === "root" && password === ROOT_PASSWORD;
    if (this.#nextAddress !== undefined) await this.page.goto(`${this.#origin}/${this.#nextAddress}`);
    else if (!isRoot || !(await this.#isLoggedIn())) await this.fillLogin(login, password);
    this.#nextAddress = undefined;
    await this.#navigation().waitFor();
    if (isRoot) rootSessions.set(this.#origin, await this.#context.cookies());
  }

  /** Whether the session that the page was opened with still holds. */
  async #isLoggedIn(): Promise<boolean> {
    if (!this.#isRoot) return false;
    await this.#navigation().or(this.field(this.#loginWords.name)).first().waitFor();
    this.#isRoot = (await this.#navigation().count()) > 0;
    return this.#isRoot;
  }

  /** The person leaves the screen for one where little happens, and stays logged in. */
  async leave(): Promise<void> {
    await this.page.unrouteAll({ behavior: "wait" });
    await this.page.goto(`${this.#origin}/${QUIET_SCREEN}`);
    const unsaved = this.button(/^(Leave without saving|Уйти без сохранения)$/);
    const there = this.#navigation().locator(`[aria-current=page][href="${QUIET_SCREEN}"]`);
    await there.or(unsaved).first().waitFor();
    if (await unsaved.isVisible()) await unsaved.click();
    await there.waitFor();
    // Nothing is pointed at any more.
    await this.page.mouse.move(0, 0);
  }

  /** Who has left goes on: `logIn` brings them to `address`. What the page did wrong before is forgotten. */
  goOn(address: string): void {
    this.#nextAddress = address;
    this.problems.length = 0;
    this.networkChanged = false;
  }

  /** Fills in the form and sends it. */
  async fillLogin(login: string, password: string): Promise<void> {
    if (this.#isRoot) await this.#becomeNobody();
    const words = this.#loginWords;
    await this.field(words.name).fill(login);
    await this.field(words.password).fill(password);
    await this.button(words.logIn).click();
  }

  get #loginWords(): { readonly name: string; readonly password: string; readonly logIn: string } {
    return LOGIN_WORDS[this.#options.language ?? "en"];
  }

  /** A finger that is put down in the middle of the one, held for `heldMs`, moved to the middle of the other and lifted. */
  async dragByFinger(from: Locator, to: Locator, heldMs = 0): Promise<void> {
    const places = [await from.boundingBox(), await to.boundingBox()].map((box) => {
      if (box === null) throw new Error("one of the two cannot be seen");
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    });
    const [start, end] = places as [Point, Point];
    const session = await this.page.context().newCDPSession(this.page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...touchPoints: Point[]) =>
      session.send("Input.dispatchTouchEvent", { type, touchPoints });
    await touch("touchStart", start);
    await this.page.waitForTimeout(heldMs);
    for (const share of [0.1, 0.3, 0.6, 1])
      await touch("touchMove", {
        x: start.x + (end.x - start.x) * share,
        y: start.y + (end.y - start.y) * share,
      });
    await touch("touchEnd");
  }

  /** Goes to a screen by its link. */
  async screen(name: string | RegExp): Promise<void> {
    await this.#navigation().getByRole("link", { name }).click();
  }

  /** The way to all screens; a screen may have another one to its parts. */
  #navigation(): Locator {
    return this.page.getByRole("navigation", { name: /^(Main|Главное меню)$/ });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", { name, exact: typeof name === "string" });
  }

  field(label: string | RegExp): Locator {
    return this.page.getByLabel(label, { exact: typeof label === "string" });
  }

  heading(name: string | RegExp): Locator {
    return this.page.getByRole("heading", { name });
  }

  /** What is read aloud at once: refusals and troubles. */
  alert(): Locator {
    return this.page.getByRole("alert").filter({ hasText: /\S/ });
  }

  /** Presses keys one after the other, as KeyboardEvent names them. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Goes on with Tab until an element of this role and name has the focus; at most `limit` steps. */
  async tabTo(role: Parameters<Page["getByRole"]>[0], name: string | RegExp, limit = 60): Promise<void> {
    const named = this.page.getByRole(role, { name });
    // A screen that is still being read has nothing to go to.
    await named.first().waitFor({ state: "attached" });
    const wanted = named.and(this.page.locator(":focus"));
    for (let steps = 0; steps < limit; steps += 1) {
      if ((await wanted.count()) > 0) return;
      await this.page.keyboard.press("Tab");
    }
    throw new Error(`${limit} times Tab did not reach the ${role} "${name}"`);
  }

  /** What axe-core finds wrong with what is shown now. */
  violations(): Promise<string[]> {
    return violationsOf(this.page);
  }

  /** Whether something is wider than the window: a person would have to move the page sideways. */
  isTooWide(): Promise<boolean> {
    return this.page.evaluate(
      "[document.documentElement, ...document.querySelectorAll('main')].some((part) => part.scrollWidth > part.clientWidth)",
    );
  }

  /** Keeps a picture of what is shown, for people to look at; not in `npm test`, where a picture costs more than most tests. */
  async shot(name: string): Promise<void> {
    if (KEEPS_PICTURES) await this.keepPicture(name);
  }

  /** Keeps a picture of what is shown below `build/screenshots`; answers its file. */
  async keepPicture(name: string): Promise<string> {
    const { size = "desktop", theme = "light", language = "en" } = this.#options;
    const file = join(
      SCREENSHOTS,
      `${name.replaceAll(/[^\p{L}\d]+/gu, "-")}-${size}-${theme}-${language}.png`,
    );
    mkdirSync(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: file });
    return file;
  }

  async close(): Promise<void> {
    // An answer that a test still waits for in a route comes to nobody: it is no fault outside all tests.
    if (!this.page.isClosed()) await this.page.unrouteAll({ behavior: "ignoreErrors" });
    await this.#context.close();
  }

  #listen(): void {
    const allowed = this.#options.allow ?? [];
    const note = (text: string): void => {
      if (!allowed.some((pattern) => pattern.test(text))) this.problems.push(text);
    };
    this.page.on("console", (message) => {
      if (NETWORK_CHANGED.test(message.text())) this.networkChanged = true;
      else if (message.type() === "error") note(`${message.text()} ${message.location().url}`);
    });
    this.page.on("pageerror", (error) => note(error.stack ?? error.message));
    this.page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      const own = new URL(this.#origin).origin.replace(/^http/, "");
      if (["data:", "blob:"].includes(protocol) || origin.replace(/^(http|ws)/, "") === own) return;
      note(`a request to another host: ${request.url()}`);
    });
  }
}

const LOGIN_WORDS = {
  en: { name: "Name", password: "Password", logIn: "Log in" },
  ru: { name: "Имя", password: "Пароль", logIn: "Войти" },
} as const;
