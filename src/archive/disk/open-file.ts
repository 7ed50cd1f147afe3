import type { SegmentSource } from "../segment/segment-scan.js";
import type { Disk } from "./disk.js";

/** Of each read: what lies behind it is mostly wanted next. */
const READ_BYTES_MIN = 64 * 1024;

/** An open segment file of a volume thread, read through one buffer that grows to the longest read. */
export class OpenFile implements SegmentSource {
  readonly fd: number;
  readonly bytes: number;
  readonly #disk: Disk;
  readonly #readBytesMin: number;
  #buffer = Buffer.alloc(0);
  #from = 0;
  #filled = 0;

  /** Throws the disk's error. `readBytesMin`: of each read, for who wants only a little. */
  constructor(disk: Disk, path: string, flags: "r" | "r+", readBytesMin = READ_BYTES_MIN) {
    this.#disk = disk;
    this.#readBytesMin = readBytesMin;
    this.fd = disk.openSync(path, flags);
    try {
      this.bytes = disk.fstatSync(this.fd).size;
    } catch (error) {
      disk.closeSync(this.fd);
      throw error;
    }
  }

  read(position: number, length: number): Buffer {
    const wanted = Math.min(length, Math.max(0, this.bytes - position));
    if (position < this.#from || position + wanted > this.#from + this.#filled) this.#fill(position, wanted);
    const start = position - this.#from;
    return this.#buffer.subarray(start, Math.max(start, Math.min(start + wanted, this.#filled)));
  }

  /** Up to `length` bytes from `position`, in their own memory. No more than that is read. */
  readExactly(position: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.min(length, Math.max(0, this.bytes - position)));
    return bytes.subarray(0, this.#readInto(bytes, position));
  }

  close(): void {
    this.#disk.closeSync(this.fd);
  }

  #fill(position: number, wanted: number): void {
    const length = Math.min(Math.max(wanted, this.#readBytesMin), Math.max(0, this.bytes - position));
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafeSlow(length);
    this.#from = position;
    this.#filled = 0;
    this.#filled = this.#readInto(this.#buffer.subarray(0, length), position);
  }

  /** Returns how many bytes the file had. */
  #readInto(target: Buffer, position: number): number {
    let filled = 0;
    while (filled < target.length) {
      const wanted = target.length - filled;
      const count = this.#disk.readSync(this.fd, target, filled, wanted, position + filled);
      if (count === 0) break;
      filled += count;
    }
    return filled;
  }
}
