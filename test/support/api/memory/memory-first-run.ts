import type { Language } from "../../../../src/base/value/language.js";
import type { FirstRun } from "../../../../src/owner/setup/setup-state.js";

/** The owner's choices in memory. */
export class MemoryFirstRun implements FirstRun {
  language: Language = "en";
  timeZone = "Europe/Berlin";
  canChooseTimeZone = true;
  isGoing = false;

  async choose({ language, timeZone, isGoing }: Parameters<FirstRun["choose"]>[0]): Promise<void> {
    this.language = language ?? this.language;
    this.timeZone = timeZone ?? this.timeZone;
    this.isGoing = isGoing ?? this.isGoing;
  }
}
