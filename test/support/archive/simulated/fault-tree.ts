import type { SeededRandom } from "../../base/seeded-random.js";
import { FaultFile, type TearOptions } from "./fault-file.js";

/** How the file system orders what was not synced. */
export type MetadataOrder =
  /** One journal: changes of directories are durable in the order they were made, and a commit takes all (ext4, xfs). */
  | "journal"
  /** Only what depends on each other keeps its order; a directory's entries are durable by its own fsync alone. */
  | "loose";

export const ROOT = 1;

type Entries = Map<string, number>;

/** A change of one or two directories that may not be durable yet. */
interface DirectoryChange {
  readonly child: number;
  /** Directories whose entries it changes. */
  readonly parents: readonly number[];
  readonly names: readonly string[];
  readonly apply: (directories: Map<number, Entries>) => void;
  durable: boolean;
}

/** The directories of a fault disk: as programs see them, and as they would be after a power cut. */
export class FaultTree {
  readonly order: MetadataOrder;
  readonly #files = new Map<number, FaultFile>();
  readonly #live: Map<number, Entries>;
  readonly #durable: Map<number, Entries>;
  #changes: DirectoryChange[] = [];
  #nextNode: number;

  /** An empty one, or what a power cut leaves of `before`. */
  constructor(order: MetadataOrder, cut?: { readonly before: FaultTree; readonly tear: TearOptions }) {
    this.order = order;
    this.#live = cut === undefined ? new Map([[ROOT, new Map()]]) : cut.before.#afterCut(cut.tear);
    this.#durable = copyOf(this.#live);
    this.#nextNode = cut === undefined ? ROOT + 1 : cut.before.#nextNode;
    if (cut === undefined) return;
    for (const entries of this.#live.values()) {
      for (const node of entries.values()) {
        const file = cut.before.#files.get(node);
        if (file !== undefined) this.#files.set(node, file.torn(cut.tear));
      }
    }
  }

  /** Walks to a node; undefined when there is none. */
  find(parts: readonly string[]): number | undefined {
    let node: number | undefined = ROOT;
    for (const part of parts) node = node === undefined ? undefined : this.#live.get(node)?.get(part);
    return node;
  }

  file(node: number): FaultFile | undefined {
    return this.#files.get(node);
  }

  entries(node: number): ReadonlyMap<string, number> | undefined {
    return this.#live.get(node);
  }

  /** All bytes that named files take. */
  get allocatedBytes(): number {
    let bytes = 0;
    for (const entries of this.#live.values())
      for (const node of entries.values()) bytes += this.#files.get(node)?.allocatedBytes ?? 0;
    return bytes;
  }

  /** Files and directories that have a name, and the root. */
  get inodes(): number {
    let count = 1;
    for (const entries of this.#live.values()) count += entries.size;
    return count;
  }

  /** Bytes of some file, for a block that shows what it held before. */
  staleBytes(random: SeededRandom): Buffer {
    const files = [...this.#files.values()].filter((file) => file.size > 0);
    return files.length === 0 ? Buffer.alloc(0) : random.pick(files).bytes;
  }

  createFile(parent: number, name: string): number {
    const node = this.#nextNode++;
    this.#files.set(node, new FaultFile());
    this.#change({ child: node, parents: [parent], names: [name] }, (directories) => {
      directories.get(parent)?.set(name, node);
    });
    return node;
  }

  createDirectory(parent: number, name: string): number {
    const node = this.#nextNode++;
    this.#change({ child: node, parents: [parent], names: [name] }, (directories) => {
      directories.get(parent)?.set(name, node);
      directories.set(node, new Map());
    });
    return node;
  }

  /** Takes a name away; of a directory with the directory. */
  remove(parent: number, name: string, node: number): void {
    this.#change({ child: node, parents: [parent], names: [name] }, (directories) => {
      if (directories.get(parent)?.get(name) === node) directories.get(parent)?.delete(name);
      directories.delete(node);
    });
  }

  rename(node: number, from: { parent: number; name: string }, to: { parent: number; name: string }): void {
    const change = { child: node, parents: [from.parent, to.parent], names: [from.name, to.name] };
    this.#change(change, (directories) => {
      if (directories.get(from.parent)?.get(from.name) !== node) return;
      directories.get(from.parent)?.delete(from.name);
      directories.get(to.parent)?.set(to.name, node);
    });
  }

  /** fsync or fdatasync of a file. */
  syncFile(node: number): void {
    const file = this.#files.get(node);
    if (file === undefined) return;
    const commits =
      file.isSizeDirty || this.#changes.some((change) => change.child === node && !change.durable);
    file.sync();
    if (this.order === "journal" && commits) this.#commit(() => true);
  }

  /** fsync of a directory. */
  syncDirectory(node: number): void {
    this.#commit((change) => this.order === "journal" || change.parents.includes(node));
  }

  /** Programs' open files go on after their name is gone; nothing else is left of them here. */
  #change(
    fields: Omit<DirectoryChange, "apply" | "durable">,
    change: (directories: Map<number, Entries>) => void,
  ): void {
    this.#changes.push({ ...fields, apply: change, durable: false });
    change(this.#live);
  }

  /** Makes changes durable, and all that they depend on. */
  #commit(isWanted: (change: DirectoryChange) => boolean): void {
    const wanted = new Set(this.#changes.filter((change) => change.durable || isWanted(change)));
    for (const change of withDependencies(this.#changes, wanted)) change.durable = true;
    while (this.#changes[0]?.durable === true) this.#changes.shift()?.apply(this.#durable);
  }

  /** The directories as the next boot finds them. */
  #afterCut({ random }: TearOptions): Map<number, Entries> {
    const cut = random.below(this.#changes.length + 1);
    const share = random.next();
    const kept = new Set(
      this.#changes.filter((change, at) => {
        if (change.durable) return true;
        return this.order === "journal" ? at < cut : random.chance(share);
      }),
    );
    const all = withDependencies(this.#changes, kept);
    const directories = copyOf(this.#durable);
    for (const change of this.#changes) if (all.has(change)) change.apply(directories);
    return directories;
  }
}

/** `wanted`, and every earlier change that one of them cannot do without. */
function withDependencies(
  changes: readonly DirectoryChange[],
  wanted: ReadonlySet<DirectoryChange>,
): Set<DirectoryChange> {
  const all = new Set(wanted);
  for (let later = changes.length - 1; later >= 0; later--) {
    const change = changes[later];
    if (change === undefined || !all.has(change)) continue;
    for (const earlier of changes.slice(0, later)) if (dependsOn(change, earlier)) all.add(earlier);
  }
  return all;
}

function dependsOn(later: DirectoryChange, earlier: DirectoryChange): boolean {
  return (
    later.child === earlier.child ||
    later.parents.includes(earlier.child) ||
    // A directory that goes has lost its entries before.
    earlier.parents.includes(later.child) ||
    later.names.some((name) => earlier.names.includes(name))
  );
}

function copyOf(directories: ReadonlyMap<number, Entries>): Map<number, Entries> {
  return new Map([...directories].map(([node, entries]) => [node, new Map(entries)]));
}
