import { NvrdError } from "../../../src/base/index.js";
import {
  type ChangeOptions,
  type FollowerPlace,
  type Site,
  type SiteListener,
  type SiteStore,
  siteChange,
} from "../../../src/site/index.js";
import { Followers } from "../../../src/site/model/followers.js";
import { checkChange } from "../../../src/site/schema/site-checks.js";
import { changeWords } from "../../../src/site/store/change-words.js";

/** A SiteStore without a disk; `test/site/store-contract.test.ts` holds it to what the real one does. */
export class SiteInMemory implements SiteStore {
  readonly #asStored: (site: Site) => Site;
  #current: Site;
  #lastChange: Promise<unknown> = Promise.resolve();
  readonly #followers = new Followers();
  /** What a follower throws; unless a test expects that, it fails the run. */
  onFollowerFault: (error: unknown) => void = (error) =>
    queueMicrotask(() => {
      throw error;
    });

  /** @param asStored What is checked in place of a configuration that cannot be stored as it is. */
  constructor(site: Site, asStored: (site: Site) => Site = (same) => same) {
    this.#asStored = asStored;
    this.#current = deepFreeze(site);
  }

  get current(): Site {
    return this.#current;
  }

  change(edit: (site: Site) => Site, options: ChangeOptions = {}): Promise<Site> {
    const applied = this.#lastChange.then(() => this.#apply(edit, options));
    this.#lastChange = applied.catch(() => undefined);
    return applied;
  }

  onChange(place: FollowerPlace, listener: SiteListener): void {
    this.#followers.add(place, listener);
  }

  #apply(edit: (site: Site) => Site, { expectedRevision, by, summary }: ChangeOptions): Site {
    const previous = this.#current;
    if (expectedRevision !== undefined && expectedRevision !== previous.revision)
      throw new NvrdError("CONFLICT", "another revision is current");
    const edited = edit(previous);
    if (edited === previous) return previous;
    const { id, appliedAtUs } = previous;
    const next: Site = { ...edited, id, revision: previous.revision + 1, appliedAtUs: appliedAtUs + 1 };
    checkChange(this.#asStored(next), this.#asStored(previous));
    deepFreeze(next);
    const summaryText = typeof summary === "function" ? summary() : summary;
    const change = siteChange(by ?? null, summaryText ?? changeWords(next, previous));
    this.#current = next;
    this.#followers.notify([next, previous, change], (error) => this.onFollowerFault(error));
    return next;
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
