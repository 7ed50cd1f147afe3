/** A connected piece of differing pixels. Numbers are pixels. */
export interface Blob {
  left: number;
  top: number;
  /** First column and row beyond it. */
  right: number;
  bottom: number;
  /** Pixels that differ. */
  pixels: number;
  /** Pixels of it in each zone. */
  readonly zonePixels: Uint32Array;
}

/** More pieces than these are not distinguished: such a picture is noise or weather. */
export const BLOBS_MAX = 64;

/**
 * Finds the connected pieces of a mask: removes single pixels and thin streaks, and joins near pieces. Memory is
 * allocated once; only the list of blobs grows, up to `BLOBS_MAX`.
 */
export class BlobFinder {
  /** The remaining mask: not 0 in a piece, including joins. */
  readonly kept: Uint8Array;
  readonly #width: number;
  readonly #height: number;
  readonly #opened: Uint8Array;
  readonly #rows: Uint8Array;
  readonly #stack: Int32Array;
  readonly #zones: readonly Uint8Array[];
  readonly #blobs: Blob[] = [];
  #count = 0;

  constructor(size: { readonly width: number; readonly height: number }, zones: readonly Uint8Array[]) {
    const pixels = size.width * size.height;
    this.#width = size.width;
    this.#height = size.height;
    this.#zones = zones;
    this.kept = new Uint8Array(pixels);
    this.#opened = new Uint8Array(pixels);
    this.#rows = new Uint8Array(pixels);
    this.#stack = new Int32Array(pixels);
  }

  /** The pieces of at least `pixelsMin` pixels; valid until the next call. */
  find(mask: Uint8Array, pixelsMin: number): readonly Blob[] {
    this.#sumRows(mask);
    this.#overColumns(this.#opened, OPEN_NEIGHBOURS, mask);
    this.#sumRows(this.#opened);
    this.#overColumns(this.kept, JOIN_NEIGHBOURS, undefined);
    this.#count = 0;
    for (let at = 0; at < this.kept.length; at++) {
      if (this.kept[at] !== UNSEEN) continue;
      const blob = this.#blobAt(this.#count);
      this.#fill(at, blob);
      if (blob.pixels >= pixelsMin && this.#count < BLOBS_MAX - 1) this.#count += 1;
    }
    return this.#blobs.slice(0, this.#count);
  }

  /** Of each pixel and its two neighbours in the row: how many are set. */
  #sumRows(mask: Uint8Array): void {
    const width = this.#width;
    for (let row = 0; row < mask.length; row += width) {
      for (let x = 0; x < width; x++) {
        const at = row + x;
        let sum = mask[at] ?? 0;
        if (x > 0) sum += mask[at - 1] ?? 0;
        if (x < width - 1) sum += mask[at + 1] ?? 0;
        this.#rows[at] = sum;
      }
    }
  }

  /** Sets a pixel when of the nine around it at least `least` are set; where `only` is given, it must be set itself. */
  #overColumns(into: Uint8Array, least: number, only: Uint8Array | undefined): void {
    const width = this.#width;
    for (let at = 0; at < into.length; at++) {
      if (only !== undefined && only[at] !== 1) {
        into[at] = 0;
        continue;
      }
      const sum = (this.#rows[at - width] ?? 0) + (this.#rows[at] ?? 0) + (this.#rows[at + width] ?? 0);
      into[at] = sum >= least ? UNSEEN : 0;
    }
  }

  #blobAt(index: number): Blob {
    let blob = this.#blobs[index];
    if (blob === undefined) {
      const zonePixels = new Uint32Array(this.#zones.length);
      blob = { left: 0, top: 0, right: 0, bottom: 0, pixels: 0, zonePixels };
      this.#blobs[index] = blob;
    }
    blob.left = this.#width;
    blob.top = this.#height;
    blob.right = 0;
    blob.bottom = 0;
    blob.pixels = 0;
    blob.zonePixels.fill(0);
    return blob;
  }

  /** Measures the piece that holds `start` and marks it as seen. */
  #fill(start: number, blob: Blob): void {
    const width = this.#width;
    const { kept } = this;
    let depth = 0;
    this.#stack[depth++] = start;
    kept[start] = SEEN;
    while (depth > 0) {
      const at = this.#stack[--depth] ?? 0;
      const x = at % width;
      const y = (at - x) / width;
      this.#measure(at, x, y, blob);
      if (x > 0 && kept[at - 1] === UNSEEN) this.#stack[depth++] = this.#see(at - 1);
      if (x < width - 1 && kept[at + 1] === UNSEEN) this.#stack[depth++] = this.#see(at + 1);
      if (kept[at - width] === UNSEEN) this.#stack[depth++] = this.#see(at - width);
      if (kept[at + width] === UNSEEN) this.#stack[depth++] = this.#see(at + width);
    }
  }

  #see(at: number): number {
    this.kept[at] = SEEN;
    return at;
  }

  #measure(at: number, x: number, y: number, blob: Blob): void {
    blob.left = Math.min(blob.left, x);
    blob.top = Math.min(blob.top, y);
    blob.right = Math.max(blob.right, x + 1);
    blob.bottom = Math.max(blob.bottom, y + 1);
    if (this.#opened[at] !== 1) return;
    blob.pixels += 1;
    for (let zone = 0; zone < this.#zones.length; zone++)
      if (this.#zones[zone]?.[at] === 1) blob.zonePixels[zone] = (blob.zonePixels[zone] ?? 0) + 1;
  }
}

/** Of nine, itself included: less is a speck or a streak of one pixel's width. */
const OPEN_NEIGHBOURS = 4;
const JOIN_NEIGHBOURS = 2;
const UNSEEN = 1;
const SEEN = 2;
