/**
 * What the player reads and changes in MP4: the time scales of an init segment's tracks, and the times of a fragment. The
 * player writes its own times into each fragment, so that a jump of the stream leaves no hole in the browser's buffer.
 */

/** Time scale of each track by its number, units a second. */
export type TimeScales = ReadonlyMap<number, number>;

interface Box {
  readonly name: string;
  /** Of its content. */
  readonly start: number;
  readonly end: number;
}

function* boxes(view: DataView, start: number, end: number): Generator<Box> {
  for (let at = start; at + 8 <= end; ) {
    const size = view.getUint32(at);
    if (size < 8 || at + size > end) return;
    yield { name: fourLetters(view, at + 4), start: at + 8, end: at + size };
    at += size;
  }
}

function fourLetters(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(at + index)));
}

function find(view: DataView, path: readonly string[], within: Box): Box | undefined {
  let box: Box | undefined = within;
  for (const name of path) {
    if (box === undefined) return undefined;
    box = [...boxes(view, box.start, box.end)].find((inner) => inner.name === name);
  }
  return box;
}

function viewOf(bytes: Uint8Array): { view: DataView; whole: Box } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { view, whole: { name: "", start: 0, end: bytes.byteLength } };
}

/** Of an init segment. */
export function timeScales(init: Uint8Array): TimeScales {
  const { view, whole } = viewOf(init);
  const scales = new Map<number, number>();
  const movie = find(view, ["moov"], whole);
  if (movie === undefined) return scales;
  for (const track of boxes(view, movie.start, movie.end)) {
    if (track.name !== "trak") continue;
    const header = find(view, ["tkhd"], track);
    const media = find(view, ["mdia", "mdhd"], track);
    if (header === undefined || media === undefined) continue;
    // Version 1 has times of 64 bits before these.
    const id = view.getUint32(header.start + (view.getUint8(header.start) === 1 ? 20 : 12));
    scales.set(id, view.getUint32(media.start + (view.getUint8(media.start) === 1 ? 20 : 12)));
  }
  return scales;
}

/** The times of a fragment's one run of samples. */
export interface FragmentTimes {
  /** When its first sample is decoded, seconds on the feed's own time axis. */
  readonly decodeS: number;
  /** From decoding to showing the first sample, seconds. */
  readonly offsetS: number;
  /** Of all its samples, seconds; 0 where it does not say. */
  readonly durationS: number;
  readonly scale: number;
  /** Where the decode time is. */
  readonly timeAt: number;
  readonly timeBytes: 4 | 8;
}

/** Undefined for a fragment that is not of these tracks or not whole. */
export function fragmentTimes(fragment: Uint8Array, scales: TimeScales): FragmentTimes | undefined {
  const { view, whole } = viewOf(fragment);
  const track = find(view, ["moof", "traf"], whole);
  if (track === undefined) return undefined;
  const header = find(view, ["tfhd"], track);
  const time = find(view, ["tfdt"], track);
  if (header === undefined || time === undefined) return undefined;
  const scale = scales.get(view.getUint32(header.start + 4));
  if (scale === undefined || scale === 0) return undefined;
  const timeBytes = view.getUint8(time.start) === 1 ? 8 : 4;
  const timeAt = time.start + 4;
  const decode =
    timeBytes === 8 ? view.getUint32(timeAt) * 2 ** 32 + view.getUint32(timeAt + 4) : view.getUint32(timeAt);
  const run = find(view, ["trun"], track);
  const { offset, duration } =
    run === undefined ? NO_RUN : runTimes(view, run, defaultDuration(view, header));
  return {
    decodeS: decode / scale,
    offsetS: offset / scale,
    durationS: duration / scale,
    scale,
    timeAt,
    timeBytes,
  };
}

const NO_RUN = { offset: 0, duration: 0 };

/** Of `tfhd`: the optional fields before it are present by flags. */
function defaultDuration(view: DataView, header: Box): number {
  const flags = view.getUint32(header.start) & 0xffffff;
  if ((flags & 0x08) === 0) return 0;
  return view.getUint32(header.start + 8 + ((flags & 0x01) === 0 ? 0 : 8) + ((flags & 0x02) === 0 ? 0 : 4));
}

function runTimes(view: DataView, run: Box, assumed: number): { offset: number; duration: number } {
  const flags = view.getUint32(run.start) & 0xffffff;
  const count = view.getUint32(run.start + 4);
  const has = (flag: number): number => ((flags & flag) === 0 ? 0 : 4);
  const sample = has(0x100) + has(0x200) + has(0x400) + has(0x800);
  const first = run.start + 8 + has(0x01) + has(0x04);
  if (first + count * sample > run.end) return NO_RUN;
  let duration = 0;
  for (let index = 0; index < count; index++)
    duration += has(0x100) === 0 ? assumed : view.getUint32(first + index * sample);
  const offsetAt = first + has(0x100) + has(0x200) + has(0x400);
  return { offset: count === 0 || has(0x800) === 0 ? 0 : view.getInt32(offsetAt), duration };
}

/** Writes another decode time, seconds, in place. */
export function writeDecodeTime(fragment: Uint8Array, times: FragmentTimes, seconds: number): void {
  const { view } = viewOf(fragment);
  const units = Math.max(0, Math.round(seconds * times.scale));
  if (times.timeBytes === 8) view.setUint32(times.timeAt, Math.floor(units / 2 ** 32));
  view.setUint32(times.timeAt + times.timeBytes - 4, units % 2 ** 32);
}
