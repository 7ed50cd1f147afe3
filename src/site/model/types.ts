import type { FollowerPlace, SiteListener } from "./followers.js";
import type { Site } from "./model.js";
import type { ChangeAuthor } from "./site-change.js";

export interface ChangeOptions {
  /** The revision the edit was made for; another one is a conflict. */
  readonly expectedRevision?: number | undefined;
  /** Who changes it; the service itself when absent. */
  readonly by?: ChangeAuthor | undefined;
  /** What changes, a sentence without secrets, asked for after the edit; made from the differences when absent. */
  readonly summary?: string | (() => string) | undefined;
}

/** The configuration store as the other rooms see it. */
export interface SiteStore {
  /** The applied configuration: immutable, replaced as a whole by each change. */
  readonly current: Site;
  /**
   * Applies one change: `edit` gets the current configuration and returns the next one (Revision, Timestamp and
   * checks are the store's). Durable when the promise resolves; changes are applied one after another. Rejects with
   * NvrdError: CONFLICT when `expectedRevision` is given and no longer current, BAD_REQUEST when a check fails,
   * whatever `edit` throws; nothing has changed then.
   */
  change(edit: (site: Site) => Site, options?: ChangeOptions): Promise<Site>;
  /**
   * Called after each applied change, one change after the other, with its author and a summary. Of one change the
   * followers are told in the order of their places (`FOLLOWER_ORDER`).
   */
  onChange(place: FollowerPlace, listener: SiteListener): void;
}
