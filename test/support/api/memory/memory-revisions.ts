import { NvrdError } from "../../../../src/base/value/errors.js";
import type { SiteRevisions } from "../../../../src/owner/system/states.js";
import type { Site } from "../../../../src/site/model/model.js";
import type { SiteChange } from "../../../../src/site/model/site-change.js";
import type { SiteStore } from "../../../../src/site/model/types.js";
import type { HistoryEntry } from "../../../../src/site/store/revision-history.js";

/** The configurations that a store in memory has had since this was made. */
export class MemoryRevisions implements SiteRevisions {
  readonly #kept: { readonly site: Site; readonly change: SiteChange | null }[];

  constructor(store: SiteStore) {
    this.#kept = [{ site: store.current, change: null }];
    store.onChange("events", (site, _, change) => void this.#kept.push({ site, change }));
  }

  history(): Promise<readonly HistoryEntry[]> {
    const entries = this.#kept.map(({ site: { revision, appliedAtUs }, change }) => ({
      ...{ revision, appliedAtUs, by: change?.by ?? null },
      summary: change?.summary ?? "not known",
    }));
    return Promise.resolve(entries.toReversed());
  }

  revision(number: number): Promise<Site> {
    const found = this.#kept.find(({ site }) => site.revision === number)?.site;
    if (found === undefined)
      return Promise.reject(
        new NvrdError("NOT_FOUND", `revision ${number} of the configuration is not stored`),
      );
    return Promise.resolve(found);
  }
}
