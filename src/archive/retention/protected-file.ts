import { copyFile } from "node:fs/promises";
import path from "node:path";
import { errorText, type Log, NvrdError, readSmallFile, replaceSmallFile } from "../../base/index.js";
import {
  joinedRanges,
  LACK_KEPT,
  type ProtectedList,
  parseProtectedList,
  protectedListText,
} from "./protected-list.js";

/** Two copies, written one after the other: this list cannot be rebuilt from the segments. */
const FILES = ["protected.json", "protected.json.copy"] as const;
/** A damaged copy is kept under this name before it is replaced. */
const DAMAGED_SUFFIX = ".damaged";

const NO_LIST: ProtectedList = { listId: undefined, revision: 0, ranges: [], volumes: [], lack: undefined };

type Copy = { readonly name: string } & (
  | { readonly list: ProtectedList }
  | { readonly fault: string }
  | { readonly isAbsent: true }
);

/** Keeps the protected times in the data directory. */
export class ProtectedFile {
  readonly #dataDir: string;
  readonly #log: Log;
  /** Copies that hold what could not be read. */
  #damaged: readonly string[] = [];

  constructor(options: { readonly dataDir: string; readonly log: Log }) {
    this.#dataDir = options.dataDir;
    this.#log = options.log;
  }

  /**
   * The stored list: of the first copy that is whole; otherwise what can be read of both, and what is lacking. Throws NvrdError
   * FORMAT_NEWER.
   */
  load(): ProtectedList {
    const copies = FILES.map((name) => this.#read(name));
    const faults = copies.flatMap(faultOf);
    for (const { name, fault } of faults)
      this.#log.error({ path: this.#pathOf(name) }, `protected times cannot be read: ${fault}`);
    this.#damaged = faults.filter(({ fault }) => fault !== LACK_KEPT).map(({ name }) => name);
    const lists = copies.flatMap((copy) => ("list" in copy ? [copy.list] : []));
    const whole = lists.find(({ lack }) => lack === undefined);
    if (whole !== undefined) return whole;
    if (faults.length === 0) return NO_LIST;
    return {
      listId: lists.find(({ listId }) => listId !== undefined)?.listId,
      revision: Math.max(0, ...lists.map(({ revision }) => revision)),
      ranges: joinedRanges(lists),
      volumes: [],
      lack: faults.map(({ name, fault }) => `${name}: ${fault}`).join("; "),
    };
  }

  /** The problem with the stored list, for users; undefined if there is none. */
  fault(): string | undefined {
    const faults = FILES.map((name) => this.#read(name)).flatMap(faultOf);
    return faults.length === 0 ? undefined : faults.map(({ name, fault }) => `${name}: ${fault}`).join("; ");
  }

  /** Resolves when the list is durable. What could not be read of it before is set aside, not written over. */
  async save(list: ProtectedList): Promise<void> {
    const text = protectedListText(list);
    for (const name of this.#damaged)
      await copyFile(this.#pathOf(name), `${this.#pathOf(name)}${DAMAGED_SUFFIX}`);
    this.#damaged = [];
    for (const name of FILES) await replaceSmallFile(this.#pathOf(name), text);
  }

  #read(name: string): Copy {
    try {
      const text = readSmallFile(this.#pathOf(name));
      if (text === undefined) return { name, isAbsent: true };
      return { name, list: parseProtectedList(text, this.#pathOf(name)) };
    } catch (error) {
      if (error instanceof NvrdError) throw error;
      return { name, fault: errorText(error) };
    }
  }

  #pathOf(name: string): string {
    return path.join(this.#dataDir, name);
  }
}

function faultOf(copy: Copy): { readonly name: string; readonly fault: string }[] {
  if ("fault" in copy) return [copy];
  const lack = "list" in copy ? copy.list.lack : undefined;
  return lack === undefined ? [] : [{ name: copy.name, fault: lack }];
}
