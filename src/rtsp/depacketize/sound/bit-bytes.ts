/** `count` bytes from the bit at `position` on, wherever within a byte that is; zeros behind the end. */
export function bytesAtBit(bytes: Buffer, position: number, count: number): Buffer {
  const shift = position & 7;
  const at = position >> 3;
  const taken = Buffer.alloc(count);
  if (shift === 0) bytes.copy(taken, 0, at, at + count);
  else
    for (let index = 0; index < count; index += 1) {
      const pair = ((bytes[at + index] ?? 0) << 8) | (bytes[at + index + 1] ?? 0);
      taken[index] = (pair >> (8 - shift)) & 0xff;
    }
  return taken;
}
