import type { Language } from "../../base/index.js";
import type { SessionNeeds } from "../session/index.js";

/** What the owner of a box chooses at the first run, beside the configuration. */
export interface FirstRun {
  readonly language: Language;
  /** IANA name. */
  readonly timeZone: string;
  /** False: the zone is the machine's. */
  readonly canChooseTimeZone: boolean;
  /** Whether the first run was begun on the page and not finished. */
  readonly isGoing: boolean;
  /** Keeps what is given; takes effect at once. Rejects with NvrdError NOT_SUPPORTED for a time zone that is the machine's. */
  choose(choice: {
    readonly language?: Language | undefined;
    readonly timeZone?: string | undefined;
    readonly isGoing?: boolean | undefined;
  }): Promise<void>;
}

/** What the routes of this topic work with. */
export interface SetupNeeds extends SessionNeeds {
  readonly firstRun: FirstRun;
}
