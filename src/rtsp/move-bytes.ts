/** Shorter moves are left to `copyWithin`: its call costs less than the loop's beginning and end. */
const LOOP_BYTES_MIN = 64;
const STEP_BYTES = 16;
const WORD_BYTES = 8;

/**
 * Moves `length` bytes down within a slab, from `from` to `to` (`to` <= `from`; the two may overlap).
 *
 * Why not `copyWithin` alone: on shared memory V8 moves byte by byte unless source and target lie alike within their
 * words, which after an RTP header they seldom do: 480 ns for 1400 bytes against 220 ns by this loop and 110 ns for
 * an aligned `copyWithin` (Node 20, x86-64). 32-bit integers, because floating point numbers may change on the way
 * (NaN) and 64-bit ones allocate.
 */
export function moveDown(view: DataView, bytes: Buffer, to: number, from: number, length: number): void {
  if (length < LOOP_BYTES_MIN || (from - to) % WORD_BYTES === 0) {
    bytes.copyWithin(to, from, from + length);
    return;
  }
  let target = to;
  let source = from;
  const last = from + length;
  const stepsEnd = last - STEP_BYTES;
  while (source <= stepsEnd) {
    const first = view.getInt32(source, true);
    const second = view.getInt32(source + 4, true);
    const third = view.getInt32(source + 8, true);
    const fourth = view.getInt32(source + 12, true);
    view.setInt32(target, first, true);
    view.setInt32(target + 4, second, true);
    view.setInt32(target + 8, third, true);
    view.setInt32(target + 12, fourth, true);
    source += STEP_BYTES;
    target += STEP_BYTES;
  }
  bytes.copyWithin(target, source, last);
}
