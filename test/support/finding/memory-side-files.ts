import type { SideFile, SideFiles } from "../../../src/archive/index.js";
import type { Guid } from "../../../src/base/index.js";

/** Files beside the segments of a volume, in memory. */
export class MemorySideFiles implements SideFiles {
  readonly id: Guid;
  readonly files = new Map<string, Buffer>();
  /** Why appending fails; undefined: it works. */
  fault: Error | undefined;
  appends = 0;
  reads = 0;

  constructor(id: Guid) {
    this.id = id;
  }

  listSideFiles(path: string): Promise<readonly SideFile[]> {
    const files = [...this.files].filter(([name]) => name.startsWith(`${path}/`));
    return Promise.resolve(files.map(([name, bytes]) => ({ path: name, bytes: bytes.length })));
  }

  readSideFile(path: string, position: number, memory: SharedArrayBuffer) {
    this.reads += 1;
    const bytes = this.files.get(path) ?? Buffer.alloc(0);
    const piece = bytes.subarray(position, position + memory.byteLength);
    new Uint8Array(memory).set(piece);
    return Promise.resolve({ bytes: piece.length, fileBytes: bytes.length });
  }

  appendToSideFile(path: string, position: number, bytes: Uint8Array): Promise<void> {
    if (this.fault !== undefined) return Promise.reject(this.fault);
    this.appends += 1;
    const before = this.files.get(path) ?? Buffer.alloc(0);
    this.files.set(path, Buffer.concat([before.subarray(0, position), bytes]));
    return Promise.resolve();
  }

  removeSideFile(path: string): Promise<void> {
    this.files.delete(path);
    return Promise.resolve();
  }
}
