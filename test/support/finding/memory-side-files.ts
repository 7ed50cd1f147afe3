import { SIDE_FILE_SHORT, type SideFile, type SideFiles, VolumeError } from "../../../src/archive/index.js";
import type { Guid } from "../../../src/base/index.js";

/** Files beside the segments of a volume, in memory. */
export class MemorySideFiles implements SideFiles {
  readonly id: Guid;
  readonly files = new Map<string, Buffer>();
  /** Why appending fails; undefined: it works. */
  fault: Error | undefined;
  /** Why removing fails. */
  removeFault: Error | undefined;
  /** It does not answer before this. */
  silence: Promise<void> | undefined;
  appends = 0;
  /** Tries to remove. */
  removals = 0;
  reads = 0;

  constructor(id: Guid) {
    this.id = id;
  }

  listSideFiles(path: string): Promise<readonly SideFile[]> {
    // As a disk does: the files in the folders of the path.
    const depth = path.split("/").length + 2;
    const isBelow = (name: string): boolean =>
      name.startsWith(`${path}/`) && name.split("/").length === depth;
    const files = [...this.files].filter(([name]) => isBelow(name));
    return Promise.resolve(files.map(([name, bytes]) => ({ path: name, bytes: bytes.length })));
  }

  readSideFile(path: string, position: number, memory: SharedArrayBuffer) {
    this.reads += 1;
    const bytes = this.files.get(path) ?? Buffer.alloc(0);
    const piece = bytes.subarray(position, position + memory.byteLength);
    new Uint8Array(memory).set(piece);
    return Promise.resolve({ bytes: piece.length, fileBytes: bytes.length });
  }

  async appendToSideFile(path: string, position: number, bytes: Uint8Array): Promise<void> {
    await this.silence;
    if (this.fault !== undefined) throw this.fault;
    this.appends += 1;
    const before = this.files.get(path) ?? Buffer.alloc(0);
    if (before.length < position) throw new VolumeError(SIDE_FILE_SHORT, "the file is shorter");
    this.files.set(path, Buffer.concat([before.subarray(0, position), bytes]));
  }

  removeSideFile(path: string): Promise<void> {
    this.removals += 1;
    if (this.removeFault !== undefined) return Promise.reject(this.removeFault);
    this.files.delete(path);
    return Promise.resolve();
  }
}
