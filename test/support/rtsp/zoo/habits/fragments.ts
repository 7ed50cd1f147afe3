import type { ZooCodec } from "../codecs.js";
import { cut } from "../cutting.js";
import type { Habit } from "../habit.js";

const kind = "packets";
const START = 0x80;
const END = 0x40;
const RESERVED = 0x20;
/** RFC 6184, 5.8; RFC 7798, 4.4.3. */
const FU_A = 28;
const FU = 49;

/** Cut as usual, the bits of each fragment otherwise. */
function bits(codec: ZooCodec, change: (bits: number) => number): NonNullable<Habit["pieces"]> {
  const at = codec === "h265" ? 2 : 1;
  return (units) =>
    cut(codec, units).map(({ payload, marker }) => {
      const first = payload[0] ?? 0;
      const isFragment = codec === "h265" ? ((first >> 1) & 63) === FU : (first & 31) === FU_A;
      if (!isFragment) return { payload, marker };
      const copy = Buffer.from(payload);
      copy[at] = change(copy[at] ?? 0);
      return { payload: copy, marker };
    });
}

/** Fragments whose bits do not say where a unit begins and ends. */
export const FRAGMENTS: readonly Habit[] = [
  {
    name: "never sets the start bit of a fragmented unit",
    ...{ kind, report: "gortsplib #503", codecs: ["h264"] },
    pieces: bits("h264", (all) => all & ~START),
  },
  {
    name: "never sets the start bit of a fragmented unit of H.265",
    ...{ kind, report: "gortsplib #503", clip: "h265", codecs: ["h265"] },
    pieces: bits("h265", (all) => all & ~START),
  },
  {
    name: "sets neither start nor end bit of a fragmented unit",
    ...{ kind, report: "mediamtx #1570", codecs: ["h264"] },
    pieces: bits("h264", (all) => all & ~(START | END)),
  },
  {
    name: "sets the start bit at each fragment",
    ...{ kind, report: "alohartc #98", codecs: ["h264"] },
    pieces: bits("h264", (all) => all | START),
  },
  {
    name: "sets the start bit at each fragment of H.265",
    ...{ kind, report: "alohartc #98", clip: "h265", codecs: ["h265"] },
    pieces: bits("h265", (all) => all | START),
  },
  {
    name: "sets the end bit at each fragment",
    ...{ kind, report: "alohartc #98", codecs: ["h264"] },
    pieces: bits("h264", (all) => all | END),
  },
  {
    name: "sets the reserved bit of its fragments",
    ...{ kind, report: "retina PR 109", codecs: ["h264"] },
    pieces: bits("h264", (all) => all | RESERVED),
  },
  {
    name: "calls later fragments of a unit disposable",
    ...{ kind, report: "RFC 6184, 5.8", codecs: ["h264"] },
    pieces: (units) =>
      cut("h264", units).map(({ payload, marker }) => {
        const isLater = ((payload[0] ?? 0) & 31) === FU_A && ((payload[1] ?? 0) & START) === 0;
        return { payload: isLater ? Buffer.from([FU_A, ...payload.subarray(1)]) : payload, marker };
      }),
  },
];
