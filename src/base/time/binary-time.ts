/** .NET DateTime ticks (100 ns since 01.01.0001) at the start of Unix time. */
const UNIX_EPOCH_TICKS = 621_355_968_000_000_000n;
const TICKS_PER_MICROSECOND = 10n;
/** The kind UTC in the two highest bits of .NET's DateTime.ToBinary. */
const KIND_UTC = 0x4000_0000_0000_0000n;

/** BinaryTimestamp: what .NET's DateTime.ToBinary gives for this moment in UTC, in decimal. */
export function formatBinaryTime(timeUs: number): string {
  return String(KIND_UTC | (UNIX_EPOCH_TICKS + BigInt(Math.floor(timeUs)) * TICKS_PER_MICROSECOND));
}

/** Unix microseconds of a BinaryTimestamp of the kind UTC; undefined when `text` is none. */
export function parseBinaryTime(text: string): number | undefined {
  if (!/^\d{19}$/.test(text)) return undefined;
  const value = BigInt(text);
  const ticks = value - KIND_UTC - UNIX_EPOCH_TICKS;
  if ((value & KIND_UTC) === 0n || ticks < 0n) return undefined;
  return Number(ticks / TICKS_PER_MICROSECOND);
}
