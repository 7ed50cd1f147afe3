import type { Locator, Page } from "playwright-core";

type Role = Parameters<Page["getByRole"]>[0];

/**
 * Goes through the page as a program does that reads aloud: finds things by their role and name alone, and presses them by what
 * they do by default, without a pointer. Each press and each text is a step.
 */
export class Walk {
  readonly #page: Page;
  readonly #begunMs = performance.now();
  #steps = 0;

  constructor(page: Page) {
    this.#page = page;
  }

  get steps(): number {
    return this.#steps;
  }

  /** The only thing, or the first, that has the role and the name. */
  the(role: Role, name: string | RegExp, within?: Locator): Locator {
    return (within ?? this.#page).getByRole(role, { name }).first();
  }

  async press(role: Role, name: string | RegExp, within?: Locator): Promise<void> {
    const thing = this.the(role, name, within);
    await thing.waitFor();
    this.#steps += 1;
    await thing.evaluate((element) => {
      const pressed = element as unknown as { focus(): void; click(): void };
      pressed.focus();
      pressed.click();
    });
  }

  async type(role: Role, name: string | RegExp, text: string, within?: Locator): Promise<void> {
    this.#steps += 1;
    await this.the(role, name, within).fill(text);
  }

  async choose(name: string | RegExp, option: string): Promise<void> {
    this.#steps += 1;
    await this.the("combobox", name).selectOption({ label: option });
  }

  /** Opens a disclosure, which has no role that can be asked for. */
  async unfold(name: string): Promise<void> {
    this.#steps += 1;
    const summary = this.#page.locator("summary", { hasText: name });
    await summary.waitFor();
    await summary.evaluate((element) => (element as unknown as { click(): void }).click());
  }

  /** What has this role says this. */
  async hearsWords(role: Role, words: RegExp): Promise<void> {
    await this.#page.getByRole(role).filter({ hasText: words }).first().waitFor();
  }

  async hears(role: Role, name: string | RegExp): Promise<void> {
    await this.the(role, name).waitFor();
  }

  /** Says how long it was. */
  log(task: string): void {
    const seconds = (performance.now() - this.#begunMs) / 1000;
    console.log(`walk: ${task}: ${this.#steps} steps, ${seconds.toFixed(1)} s`);
  }
}
