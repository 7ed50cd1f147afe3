import type { FollowerPlace, SiteListener } from "./followers.js";
import type { Site } from "./model.js";
import type { ChangeAuthor } from "./site-change.js";

export interface ChangeOptions {
  /** The revision that the edit is based on; any other one is a conflict. */
  readonly expectedRevision?: number | undefined;
  /** The author of the change; the service itself when absent. */
  readonly by?: ChangeAuthor | undefined;
  /** A summary of the change without secrets; a function is called after the edit. By default created from the differences. */
  readonly summary?: string | (() => string) | undefined;
}

/** The configuration store as used by other rooms. */
export interface SiteStore {
  /** The applied configuration: immutable, replaced as a whole by each change. */
  readonly current: Site;
  /**
   * Applies one change: `edit` gets the current configuration and returns the next one (the store sets revision and timestamp,
   * and checks the result). The change is durable when the promise resolves; changes are applied one at a time. Rejects with
   * NvrdError CONFLICT if `expectedRevision` is not current, BAD_REQUEST if a check fails, or the error thrown by `edit`;
   * nothing has changed then.
   */
  change(edit: (site: Site) => Site, options?: ChangeOptions): Promise<Site>;
  /** Its channels are what a bucket says: they have no live video, and cannot be changed. Default: false. */
  readonly isOfBucket?: boolean;
  /** Throws NvrdError where `change` would refuse the next configuration, beyond the checks that every store makes. */
  requireAllowed?(next: Site, current: Site): void;
  /**
   * Calls `listener` after each applied change, with its author and a summary. The followers are called in the order of their
   * places (`FOLLOWER_ORDER`).
   */
  onChange(place: FollowerPlace, listener: SiteListener): void;
}
