import { createLog, EMPTY_GUID, SystemClock } from "../../../src/base/index.js";
import { LiveStream, SlabPool, type StreamState } from "../../../src/live/index.js";
import { ReadTicker, RtspSource, type RtspSourceOptions } from "../../../src/rtsp/index.js";
import { PATIENCE_MS } from "../base/patience.js";

/** A frame as a subscriber saw it, in memory of its own. */
export interface SeenFrame {
  readonly bytes: Buffer;
  readonly isAudio: boolean;
  readonly key: boolean;
  readonly damaged: boolean;
  readonly undecodable: boolean;
  readonly discontinuity: boolean;
  readonly decodeTimeUs: number;
  readonly presentationOffsetUs: number;
}

/** One source with everything it needs, and what it published and said. */
export interface SourceHarness {
  readonly source: RtspSource;
  readonly stream: LiveStream;
  readonly pool: SlabPool;
  readonly ticker: ReadTicker;
  readonly frames: SeenFrame[];
  readonly states: StreamState[];
  /** Log lines as text, for what must not be in them. */
  readonly logLines: string[];
  /** Resolves when `holds` does; rejects with what was seen after `timeoutMs`. */
  until(holds: () => boolean, timeoutMs?: number): Promise<void>;
}

export type HarnessOptions = { readonly url: string; readonly isPatient?: boolean } & Partial<
  Omit<RtspSourceOptions, "stream" | "log">
>;

/** The newest reason a source gave for having no frames. */
export function lastReason(harness: SourceHarness): string {
  const lost = harness.states.filter((state) => state.state === "lost").at(-1);
  return lost?.state === "lost" ? lost.reason : "";
}

export function makeSource(options: HarnessOptions): SourceHarness {
  const clock = options.clock ?? new SystemClock();
  const pool = options.pool ?? new SlabPool({ slabBytes: 256 * 1024, totalBytesMax: 16 * 1024 * 1024 });
  const ticker = options.ticker ?? new ReadTicker({ clock, periodMs: 20 });
  const logLines: string[] = [];
  const log = createLog({ level: "trace", destination: { write: (line: string) => logLines.push(line) } });
  const stream = new LiveStream({ channelId: EMPTY_GUID, streamType: "Main" });
  const frames: SeenFrame[] = [];
  const states: StreamState[] = [];
  stream.onState((state) => states.push(state));
  stream.subscribe(
    {
      onFrame: (frame) => {
        const { isAudio, key, damaged, undecodable, discontinuity } = frame;
        const { decodeTimeUs, presentationOffsetUs } = frame;
        const flags = { isAudio, key, damaged, undecodable, discontinuity };
        frames.push({ bytes: frame.copyBytes(), ...flags, decodeTimeUs, presentationOffsetUs });
      },
    },
    { fromGop: false, atOnce: false, isPatient: options.isPatient === true },
  );
  const source = new RtspSource({
    transport: "tcp",
    random: () => 0.5,
    wantAudio: false,
    ...options,
    clock,
    pool,
    ticker,
    stream,
    log,
  });
  const until = async (holds: () => boolean, timeoutMs = PATIENCE_MS): Promise<void> => {
    const deadline = performance.now() + timeoutMs;
    while (!holds()) {
      if (performance.now() > deadline) {
        throw new Error(
          `not seen in ${timeoutMs} ms; ${frames.length} frames, states ${JSON.stringify(states)}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return { source, stream, pool, ticker, frames, states, logLines, until };
}
