import { BackgroundProcess } from "../../support/service/background-process.js";
import { buildProgram, type PacedSource } from "../../support/service/paced-source.js";

/** Setting up a hundred viewers, and waiting for what is measured. */
const PATIENCE_MS = 60_000;

/** A stream as it is asked for. */
export interface WatchedStream {
  /** Of an RTSP server at 127.0.0.1. */
  readonly url: string;
  /** What is put behind the URL in SETUP. */
  readonly track: string;
}

/** Half of the frames, and 99 of a hundred, came within so many ms. */
export interface Delay {
  readonly p50: number;
  readonly p99: number;
}

/** What all viewers together got while it was measured, and how long after its sending by the source. */
export interface Watched {
  readonly bytes: number;
  readonly frames: number;
  /** Up to the first bytes of each frame. */
  readonly first: Delay;
  /** Up to the last byte of each frame: a decoder begins then. */
  readonly whole: Delay;
}

export interface WatchOptions {
  readonly viewers: number;
  readonly settleMs: number;
  readonly windowMs: number;
  /** Called as measuring begins. */
  readonly onBegin?: () => void;
  /** Called as it ends. */
  readonly onEnd?: () => void;
}

/** Watches a stream of the paced source, from there or behind a recorder, over RTSP/TCP: `rtsp-viewers.c`. */
export async function watchRtsp(
  { url, track }: WatchedStream,
  { viewers, settleMs, windowMs, onBegin, onEnd }: WatchOptions,
): Promise<Watched> {
  const times = [`${viewers}`, `${settleMs / 1000}`, `${windowMs / 1000}`];
  const program = await buildProgram("rtsp-viewers");
  const process = new BackgroundProcess(program, [new URL(url).port, url, track, ...times]);
  try {
    await process.waitFor(/^measuring$/m, settleMs + PATIENCE_MS);
    onBegin?.();
    const result = /^bytes (\d+) frames (\d+) first (\d+) (\d+) whole (\d+) (\d+)$/m;
    const found = await process.waitFor(result, windowMs + PATIENCE_MS);
    onEnd?.();
    const [bytes = 0, frames = 0, first50 = 0, first99 = 0, whole50 = 0, whole99 = 0] = found
      .slice(1)
      .map(Number);
    return {
      bytes,
      frames,
      first: { p50: first50 / 1000, p99: first99 / 1000 },
      whole: { p50: whole50 / 1000, p99: whole99 / 1000 },
    };
  } finally {
    await process.stop();
  }
}

/** One viewer of the source itself: the least delay that there can be, because no recorder stands between. */
export function watchSource(source: PacedSource, stream: number, windowMs: number): Promise<Watched> {
  return watchRtsp({ url: source.url(stream), track: "trackID=0" }, { viewers: 1, settleMs: 0, windowMs });
}
