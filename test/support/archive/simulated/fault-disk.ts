import type { Dirent } from "node:fs";
import type { Disk } from "../../../../src/archive/disk/disk.js";
import { SeededRandom } from "../../base/seeded-random.js";
import type { DiskCall, Fault, PowerSupply } from "../power-supply.js";
import { BLOCK_BYTES, type FaultFile, SECTOR_BYTES, type TearMode } from "./fault-file.js";
import { FaultTree, type MetadataOrder, ROOT } from "./fault-tree.js";

export interface FaultDiskOptions {
  /** The directory it is mounted on. */
  readonly root: string;
  readonly random: SeededRandom;
  readonly supply?: PowerSupply;
  /** Size of the disk; default without bound. */
  readonly capacityBytes?: number;
  /** Files and directories it has room for; default without bound. */
  readonly inodes?: number;
  readonly order?: MetadataOrder;
  /** Asked before each call. */
  readonly onCall?: (call: DiskCall) => Fault | undefined;
}

interface OpenFileEntry {
  /** Where it was opened: after a lazy unmount files go on with the old disk. */
  readonly tree: FaultTree;
  readonly node: number;
  readonly path: string;
  /** Undefined for a directory. A file whose name is gone lives on here. */
  readonly file: FaultFile | undefined;
}

const TEAR_MODES: readonly TearMode[] = ["all", "none", "prefix", "writes", "sectors", "sectors"];
const CAPACITY_DEFAULT_BYTES = 2 ** 50;
const FIRST_DESCRIPTOR = 1000;
/** st_dev of the machine's own disk, and of this one. */
const SYSTEM_DEVICE = 1;
const DEVICE = 2;

/**
 * A disk in memory that knows what is durable. It does what it is told until a fault is due; `afterPowerCut` is one
 * of the states in which the next boot may find it. The same seed and calls make the same states.
 */
export class FaultDisk {
  readonly disk: Disk;
  readonly #options: FaultDiskOptions;
  readonly #tree: FaultTree;
  /** The mount point, on the machine's own disk: what shows while this one is not mounted. */
  readonly #beneath = new FaultTree("journal");
  readonly #open = new Map<number, OpenFileEntry>();
  #isMounted = true;
  #nextDescriptor = FIRST_DESCRIPTOR;

  constructor(options: FaultDiskOptions, tree = new FaultTree(options.order ?? "journal")) {
    this.#options = options;
    this.#tree = tree;
    this.disk = this.#calls();
  }

  /** The disk as a boot after a power cut finds it; this one is of no use any more. */
  afterPowerCut(options: Partial<FaultDiskOptions> = {}): FaultDisk {
    const { random } = this.#options;
    const isLoose = this.#tree.order === "loose";
    const stale = isLoose && random.chance(0.5) ? this.#tree.staleBytes(random) : undefined;
    const tear = { mode: random.pick(TEAR_MODES), random, stale };
    const tree = new FaultTree(this.#tree.order, { before: this.#tree, tear });
    return new FaultDisk({ ...this.#options, ...options }, tree);
  }

  /** The disk as it is for the next process: what was written is there, synced or not. */
  afterKill(options: Partial<FaultDiskOptions> = {}): FaultDisk {
    return new FaultDisk({ ...this.#options, ...options }, this.#tree);
  }

  get freeBytes(): number {
    return (this.#options.capacityBytes ?? CAPACITY_DEFAULT_BYTES) - this.#tree.allocatedBytes;
  }

  /** Takes the disk away lazily: open files go on, names are looked for in the empty mount point. */
  unmount(): void {
    this.#isMounted = false;
  }

  mount(): void {
    this.#isMounted = true;
  }

  /** What was made in the mount point while the disk was away: nothing may be. */
  get strays(): string[] {
    return [...(this.#beneath.entries(ROOT)?.keys() ?? [])];
  }

  /** Whether a file or directory is there; no call on the disk. */
  has(path: string): boolean {
    return this.#find(path) !== undefined;
  }

  /** Descriptors nobody has closed. */
  get openFiles(): number {
    return this.#open.size;
  }

  /** Where names are looked for. */
  get #names(): FaultTree {
    return this.#isMounted ? this.#tree : this.#beneath;
  }

  #calls(): Disk {
    return {
      openSync: this.#openSync as Disk["openSync"],
      closeSync: (fd) => this.#close(fd),
      writevSync: (fd, buffers, position) => this.#writev(fd, buffers, position ?? 0),
      writeSync: this.#writeSync as Disk["writeSync"],
      readSync: this.#readSync as Disk["readSync"],
      fdatasyncSync: (fd) => this.#sync("fdatasyncSync", fd),
      fsyncSync: (fd) => this.#sync("fsyncSync", fd),
      ftruncateSync: (fd, length) => this.#truncate(fd, length ?? 0),
      fstatSync: ((fd: number) => this.#stat("fstatSync", fd)) as unknown as Disk["fstatSync"],
      readFileSync: ((path: string) => this.#readFile(path)) as unknown as Disk["readFileSync"],
      readdirSync: this.#readdir as unknown as Disk["readdirSync"],
      mkdirSync: this.#mkdir as unknown as Disk["mkdirSync"],
      renameSync: (from, to) => this.#rename(String(from), String(to)),
      rmdirSync: (path) => this.#rmdir(String(path)),
      unlinkSync: (path) => this.#unlink(String(path)),
      statSync: ((path: string) => this.#statPath(path)) as unknown as Disk["statSync"],
      statfsSync: (() => this.#statfs()) as unknown as Disk["statfsSync"],
      fallocate: (fd, offset, length) => this.#fallocate(fd, offset + length),
      punchHole: (fd, offset, length) => this.#advice("punchHole", fd, (file) => file.punch(offset, length)),
      dontNeed: (fd) => this.#advice("dontNeed", fd, (file) => file.evict()),
      willNeed: (fd) => this.#advice("willNeed", fd, () => undefined),
      startWriteback: (fd) => this.#advice("startWriteback", fd, () => undefined),
    };
  }

  /** Counts the call; throws what is to go wrong with it. */
  #begin(name: keyof Disk, path: string): Fault | undefined {
    const { supply, onCall } = this.#options;
    const number = supply?.count() ?? 0;
    if (supply?.isOff === true) throw errno("EIO", `${name} without power`);
    const fault = onCall?.({ name, path, number });
    if (fault !== undefined && "code" in fault) {
      if (name === "fdatasyncSync" || name === "fsyncSync") this.#loseDirtyPages(path);
      throw errno(fault.code, `${name} ${path}`);
    }
    return fault;
  }

  #loseDirtyPages(path: string): void {
    const open = [...this.#open.values()].find((entry) => entry.path === path);
    open?.file?.failSync(this.#options.random);
  }

  readonly #openSync = (path: string, flags: string): number => {
    this.#begin("openSync", path);
    let node = this.#find(path);
    if (node !== undefined && flags.includes("x")) throw errno("EEXIST", path);
    if (node === undefined) {
      if (!flags.includes("w")) throw errno("ENOENT", path);
      if (this.freeBytes < BLOCK_BYTES) throw errno("ENOSPC", path);
      this.#takeInode(path);
      const { parent, name } = this.#placeOf(path);
      node = this.#names.createFile(parent, name);
    } else if (flags === "w") this.#names.file(node)?.truncate(0);
    const fd = this.#nextDescriptor++;
    this.#open.set(fd, { tree: this.#names, node, path, file: this.#names.file(node) });
    return fd;
  };

  #close(fd: number): void {
    const open = this.#opened(fd);
    this.#open.delete(fd);
    this.#begin("closeSync", open.path);
  }

  #writev(fd: number, buffers: readonly NodeJS.ArrayBufferView[], position: number): number {
    const bytes = Buffer.concat(buffers.map((view) => bytesOf(view)));
    return this.#write("writevSync", fd, { bytes, position });
  }

  readonly #writeSync = (
    fd: number,
    data: Uint8Array | string,
    offset = 0,
    length = data.length - offset,
    position?: number,
  ): number => {
    const bytes = typeof data === "string" ? Buffer.from(data) : data.subarray(offset, offset + length);
    return this.#write("writeSync", fd, { bytes, position });
  };

  #write(
    name: "writevSync" | "writeSync",
    fd: number,
    { bytes, position }: { bytes: Uint8Array; position: number | undefined },
  ): number {
    const { path, file } = this.#openedFile(fd);
    const fault = this.#begin(name, path);
    const at = position ?? file.size;
    const wanted =
      fault !== undefined && "shortBytes" in fault ? Math.min(bytes.length, fault.shortBytes) : bytes.length;
    const room = this.#roomFor(file, at);
    const count = Math.min(wanted, room);
    if (count === 0 && bytes.length > 0) throw errno("ENOSPC", path);
    file.write(bytes.subarray(0, count), at);
    return count;
  }

  /** Bytes that fit from `position`: in blocks the file has, and in free ones. */
  #roomFor(file: FaultFile, position: number): number {
    if (this.#options.capacityBytes === undefined) return Number.POSITIVE_INFINITY;
    const free = Math.max(0, Math.floor(this.freeBytes / BLOCK_BYTES) * BLOCK_BYTES);
    return Math.max(0, file.allocatedBytes + free - position);
  }

  readonly #readSync = (
    fd: number,
    target: NodeJS.ArrayBufferView,
    offset: number,
    length: number,
    position: number,
  ): number => {
    const { path, file } = this.#openedFile(fd);
    const fault = this.#begin("readSync", path);
    const wanted = fault !== undefined && "shortBytes" in fault ? Math.min(length, fault.shortBytes) : length;
    return file.read(bytesOf(target).subarray(offset, offset + wanted), position);
  };

  #sync(name: "fdatasyncSync" | "fsyncSync", fd: number): void {
    const { tree, node, path, file } = this.#opened(fd);
    const fault = this.#begin(name, path);
    if (fault !== undefined && "lies" in fault) return;
    if (file === undefined) tree.syncDirectory(node);
    else tree.syncFile(node);
  }

  #truncate(fd: number, length: number): void {
    const { path, file } = this.#openedFile(fd);
    this.#begin("ftruncateSync", path);
    file.truncate(length);
  }

  #stat(name: "fstatSync" | "statSync", fd: number): object {
    const { path, file } = this.#openedFile(fd);
    this.#begin(name, path);
    return { size: file.size, blocks: file.allocatedBytes / SECTOR_BYTES };
  }

  #statPath(path: string): object {
    this.#begin("statSync", path);
    if (path === `${this.#options.root}/..`) return { size: BLOCK_BYTES, dev: SYSTEM_DEVICE };
    const size = this.#names.file(this.#findOrThrow(path))?.size ?? BLOCK_BYTES;
    return { size, dev: this.#isMounted ? DEVICE : SYSTEM_DEVICE, mtimeMs: 0 };
  }

  #readFile(path: string): string {
    this.#begin("readFileSync", path);
    const file = this.#names.file(this.#findOrThrow(path));
    if (file === undefined) throw errno("EISDIR", path);
    return file.bytes.toString("utf8");
  }

  readonly #readdir = (
    path: string,
    options?: { withFileTypes?: boolean },
  ): string[] | Pick<Dirent, "name" | "isDirectory">[] => {
    this.#begin("readdirSync", path);
    const entries = this.#names.entries(this.#findOrThrow(path));
    if (entries === undefined) throw errno("ENOTDIR", path);
    if (options?.withFileTypes !== true) return [...entries.keys()];
    return [...entries].map(([name, node]) => ({
      name,
      isDirectory: () => this.#names.entries(node) !== undefined,
    }));
  };

  readonly #mkdir = (path: string, options?: { recursive?: boolean }): void => {
    this.#begin("mkdirSync", path);
    if (this.#find(path) !== undefined) {
      if (options?.recursive === true) return;
      throw errno("EEXIST", path);
    }
    let parent = ROOT;
    for (const name of this.#partsOf(path)) {
      const known = this.#names.entries(parent)?.get(name);
      if (known === undefined) this.#takeInode(path);
      parent = known ?? this.#names.createDirectory(parent, name);
    }
  };

  #rename(from: string, to: string): void {
    this.#begin("renameSync", from);
    const node = this.#findOrThrow(from);
    this.#names.rename(node, this.#placeOf(from), this.#placeOf(to));
  }

  #rmdir(path: string): void {
    this.#begin("rmdirSync", path);
    const node = this.#findOrThrow(path);
    if ((this.#names.entries(node)?.size ?? 0) > 0) throw errno("ENOTEMPTY", path);
    const { parent, name } = this.#placeOf(path);
    this.#names.remove(parent, name, node);
  }

  #unlink(path: string): void {
    this.#begin("unlinkSync", path);
    const node = this.#findOrThrow(path);
    const { parent, name } = this.#placeOf(path);
    this.#names.remove(parent, name, node);
  }

  #statfs(): object {
    this.#begin("statfsSync", this.#options.root);
    const capacity = this.#options.capacityBytes ?? CAPACITY_DEFAULT_BYTES;
    const free = Math.max(0, Math.floor(this.freeBytes / BLOCK_BYTES));
    const { inodes = 0 } = this.#options;
    const files = { files: inodes, ffree: Math.max(0, inodes - this.#tree.inodes) };
    return {
      bsize: BLOCK_BYTES,
      blocks: Math.floor(capacity / BLOCK_BYTES),
      bavail: free,
      bfree: free,
      ...files,
    };
  }

  #takeInode(path: string): void {
    const { inodes } = this.#options;
    if (inodes !== undefined && this.#names.inodes >= inodes) throw errno("ENOSPC", path);
  }

  #fallocate(fd: number, end: number): string {
    return this.#advice("fallocate", fd, (file) => {
      if (end - file.allocatedBytes > this.freeBytes) throw errno("ENOSPC", "fallocate");
      file.reserve(end);
    });
  }

  /** The addon's calls answer with the error's name. */
  #advice(name: keyof Disk, fd: number, act: (file: FaultFile) => void): string {
    const { path, file } = this.#openedFile(fd);
    try {
      this.#begin(name, path);
      act(file);
      return "";
    } catch (error) {
      return String((error as NodeJS.ErrnoException).code);
    }
  }

  #opened(fd: number): OpenFileEntry {
    const open = this.#open.get(fd);
    if (open === undefined) throw errno("EBADF", `descriptor ${fd}`);
    return open;
  }

  #openedFile(fd: number): OpenFileEntry & { readonly file: FaultFile } {
    const { file, ...rest } = this.#opened(fd);
    if (file === undefined) throw errno("EISDIR", rest.path);
    return { ...rest, file };
  }

  #partsOf(path: string): string[] {
    const { root } = this.#options;
    if (path !== root && !path.startsWith(`${root}/`)) throw errno("ENOENT", path);
    return path
      .slice(root.length)
      .split("/")
      .filter((part) => part !== "");
  }

  #find(path: string): number | undefined {
    return this.#names.find(this.#partsOf(path));
  }

  #findOrThrow(path: string): number {
    const node = this.#find(path);
    if (node === undefined) throw errno("ENOENT", path);
    return node;
  }

  #placeOf(path: string): { parent: number; name: string } {
    const parts = this.#partsOf(path);
    const name = parts.pop();
    const parent = this.#names.find(parts);
    if (name === undefined || parent === undefined) throw errno("ENOENT", path);
    return { parent, name };
  }
}

function errno(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}

function bytesOf(view: NodeJS.ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** A disk of its own machine, for tests that need no simulation around it. */
export function loneDisk(seed: number, options: Partial<FaultDiskOptions> = {}): FaultDisk {
  return new FaultDisk({ root: "/disk", random: new SeededRandom(seed), ...options });
}
