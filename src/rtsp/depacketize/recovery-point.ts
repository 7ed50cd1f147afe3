/** SEI payload type of a recovery point (ITU-T H.264, D.1.8; H.265, D.2.8). */
const RECOVERY_POINT = 6;
/** How far into an SEI unit the recovery point is searched. */
const SEI_SEARCH_BYTES_MAX = 512;

/**
 * Walks the messages of a SEI unit (ITU-T H.264, 7.3.2.3), from behind its header on. Position of the payload of a recovery point;
 * undefined if there is none.
 */
export function findRecoveryPoint(buffer: Buffer, start: number, unitEnd: number): number | undefined {
  const end = Math.min(unitEnd, start + SEI_SEARCH_BYTES_MAX);
  let at = start;
  while (at + 2 < end) {
    let type = 0;
    for (; at < end && buffer[at] === 0xff; at += 1) type += 255;
    type += buffer[at] ?? 0;
    at += 1;
    let size = 0;
    for (; at < end && buffer[at] === 0xff; at += 1) size += 255;
    size += buffer[at] ?? 0;
    at += 1;
    if (type === RECOVERY_POINT) return at < end ? at : undefined;
    at = skipPayload(buffer, at, end, size);
  }
  return undefined;
}

/** Position after `size` bytes of payload, not counting emulation prevention bytes. */
function skipPayload(buffer: Buffer, start: number, end: number, size: number): number {
  let at = start;
  let zeros = 0;
  for (let left = size; left > 0 && at < end; at += 1) {
    const byte = buffer[at];
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    left -= 1;
  }
  return at;
}
