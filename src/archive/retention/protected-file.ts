import path from "node:path";
import type { Log } from "../../base/index.js";
import { type KeptCopy, KeptFile } from "../../kept/index.js";
import {
  joinedRanges,
  LACK_KEPT,
  PROTECTED_KIND,
  type ProtectedList,
  protectedContent,
} from "./protected-list.js";

const NO_LIST: ProtectedList = { listId: undefined, revision: 0, ranges: [], volumes: [], lack: undefined };

/** Keeps the protected times in the data directory: twice, since they cannot be rebuilt from the segments. */
export class ProtectedFile {
  readonly #file: KeptFile<typeof PROTECTED_KIND.options.schema>;
  readonly #log: Log;

  constructor({ dataDir, log }: { readonly dataDir: string; readonly log: Log }) {
    this.#file = new KeptFile(PROTECTED_KIND, { directory: dataDir, log });
    this.#log = log;
  }

  /**
   * The stored list: of the first copy that is whole; otherwise what can be read of both, and what is lacking. Throws NvrdError
   * FORMAT_NEWER.
   */
  load(): ProtectedList {
    this.#file.read(); // says what is damaged, and has it set aside before it is replaced
    const copies = this.#file.copies();
    const lists = copies.flatMap(({ value }) => value ?? []);
    for (const { path, value } of copies)
      if (value?.lack === LACK_KEPT)
        this.#log.error({ path, error: LACK_KEPT }, "protected times cannot be read");
    const whole = lists.find(({ lack }) => lack === undefined);
    if (whole !== undefined) return whole;
    const lack = faultsOf(copies);
    if (lack === undefined) return NO_LIST;
    return {
      listId: lists.find(({ listId }) => listId !== undefined)?.listId,
      revision: Math.max(0, ...lists.map(({ revision }) => revision)),
      ranges: joinedRanges(lists),
      volumes: [],
      lack,
    };
  }

  /** The problem with the stored list, for users; undefined if there is none. */
  fault(): string | undefined {
    return faultsOf(this.#file.copies());
  }

  /** Resolves when the list is durable. What could not be read of it before is set aside, not written over. */
  save(list: ProtectedList): Promise<void> {
    return this.#file.replace(protectedContent(list));
  }
}

function faultsOf(copies: readonly KeptCopy<ProtectedList>[]): string | undefined {
  const faults = copies.flatMap(({ path: file, value, fault = value?.lack }) =>
    fault === undefined ? [] : `${path.basename(file)}: ${fault}`,
  );
  return faults.length === 0 ? undefined : faults.join("; ");
}
