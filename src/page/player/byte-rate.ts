const SPAN_MS = 3000;

/** Bits a second over the last seconds. */
export class ByteRate {
  #slots: { readonly atMs: number; bytes: number }[] = [];

  add(bytes: number, nowMs: number): void {
    const last = this.#slots.at(-1);
    if (last !== undefined && nowMs - last.atMs < 100) last.bytes += bytes;
    else this.#slots.push({ atMs: nowMs, bytes });
    this.#forget(nowMs);
  }

  bitsPerSecond(nowMs: number): number {
    this.#forget(nowMs);
    const first = this.#slots[0];
    if (first === undefined) return 0;
    const bytes = this.#slots.reduce((sum, slot) => sum + slot.bytes, 0);
    return (bytes * 8000) / Math.max(1000, nowMs - first.atMs);
  }

  #forget(nowMs: number): void {
    while (nowMs - (this.#slots[0]?.atMs ?? nowMs) > SPAN_MS) this.#slots.shift();
  }
}
