import type { Site } from "./model.js";

/** The configuration's keeper as the other rooms see it. */
export interface SiteStore {
  /** The applied configuration: immutable, replaced as a whole by each change. */
  readonly current: Site;
  /**
   * Applies one change: `edit` gets the current configuration and answers the next one (Revision, Timestamp and
   * checks are the store's). Durable when the promise resolves; changes are applied one after another. Rejects with
   * NvrdError: CONFLICT when `expectedRevision` is given and no longer current, BAD_REQUEST when a check fails,
   * whatever `edit` throws; nothing has changed then.
   */
  change(edit: (site: Site) => Site, options?: { readonly expectedRevision?: number }): Promise<Site>;
  /** Called after each applied change, in order. */
  onChange(listener: (site: Site, previous: Site) => void): void;
}
