import type { ArchiveAccess, StreamWriter } from "../../../src/archive/index.js";
import {
  type ClockKnowledge,
  createLog,
  type Guid,
  type StreamKey,
  type StreamType,
  streamKeyText,
} from "../../../src/base/index.js";
import { LiveStream } from "../../../src/live/index.js";
import {
  ManualSwitches,
  MotionStates,
  Recorder,
  type RecordingDecision,
  reasonText,
} from "../../../src/recording/index.js";
import { type ArchiveSettings, type Camera, DEFAULT_CAMERA_OPTIONS } from "../../../src/site/index.js";
import { SimulatedClock } from "../base/simulated-clock.js";
import { type SyntheticFrame, syntheticFrame } from "../media/synthetic-frames.js";
import { MemorySite, testCamera } from "../site/memory-site.js";

export const SECOND_US = 1_000_000;

/** Notes what it is given, in the order of it. */
export class NotingArchive implements Pick<ArchiveAccess, "writer" | "retainWriters"> {
  readonly notes: string[] = [];
  broken = false;
  /** What the recorder said last of the channels that there are. */
  isThere: (channelId: Guid) => boolean = () => true;

  retainWriters(isThere: (channelId: Guid) => boolean): void {
    this.isThere = isThere;
  }

  writer(key: StreamKey): StreamWriter {
    const { notes } = this;
    let holds = false;
    return {
      append: (frame) => {
        if (this.broken) throw new Error("cannot write");
        notes.push(`${key.streamType} ${frame.isAudio ? "audio" : "video"} ${frame.decodeTimeUs}`);
        holds = true;
      },
      end: async () => {
        notes.push(`${key.streamType} end`);
        holds = false;
      },
      interrupt: async () => {
        notes.push(`${key.streamType} end`);
        holds = false;
      },
      get isWriting() {
        return holds;
      },
    };
  }
}

export interface RecorderHarness {
  readonly site: MemorySite;
  readonly recorder: Recorder;
  readonly motion: MotionStates;
  readonly manual: ManualSwitches;
  readonly clock: SimulatedClock;
  readonly decisions: string[];
  stream(channelId: Guid, streamType?: StreamType): LiveStream;
  /** Publishes a frame of the clock's present time. */
  publish(channelId: Guid, frame?: Partial<SyntheticFrame>): void;
  report(channelId: Guid, active: boolean, timeUs?: number): void;
}

export interface RecorderHarnessOptions {
  readonly archive: Pick<ArchiveAccess, "writer" | "retainWriters">;
  readonly clock?: SimulatedClock;
  readonly zone?: string;
  readonly knowledge?: ClockKnowledge;
  readonly dataDir?: string;
}

/** A recorder over streams that a test feeds. */
export function startRecorder(cameras: readonly Camera[], options: RecorderHarnessOptions): RecorderHarness {
  const { clock = new SimulatedClock(), archive, zone, knowledge } = options;
  const log = createLog({ level: "silent" });
  const site = new MemorySite(cameras);
  const live = new Map<string, LiveStream>();
  const stream = (channelId: Guid, streamType: StreamType = "Main"): LiveStream => {
    const key = { channelId, streamType };
    const known = live.get(streamKeyText(key)) ?? new LiveStream(key);
    live.set(streamKeyText(key), known);
    return known;
  };
  const motion = new MotionStates(clock);
  const manual = new ManualSwitches({ dataDir: options.dataDir ?? "/nonexistent", log });
  manual.start();
  const recorder = new Recorder({
    site,
    streams: { stream },
    archive: archive as ArchiveAccess,
    motion,
    manual,
    clock,
    log,
    ...(zone === undefined ? {} : { zone }),
    ...(knowledge === undefined ? {} : { knowledge }),
  });
  const decisions: string[] = [];
  recorder.onDecision(({ reason, previous }: RecordingDecision) =>
    decisions.push(
      `${previous === undefined ? "-" : reasonText(previous)} > ${reason === undefined ? "-" : reasonText(reason)}`,
    ),
  );
  recorder.start();
  return {
    site,
    recorder,
    motion,
    manual,
    clock,
    decisions,
    stream,
    publish: (channelId, frame = {}) =>
      stream(channelId).publish(syntheticFrame({ decodeTimeUs: clock.nowUs(), ...frame })),
    report: (channelId, active, timeUs = clock.nowUs()) =>
      motion.report({ channelId, source: "recorder", active, timeUs, zone: "" }),
  };
}

/** A camera with archive settings of its own. */
export function cameraWith(
  archive: Partial<ArchiveSettings>,
  seconds: { readonly pre?: number; readonly post?: number } = {},
): Camera {
  const base = testCamera();
  const kept = DEFAULT_CAMERA_OPTIONS;
  return {
    ...base,
    archive: { ...base.archive, ...archive },
    kept: {
      ...kept,
      archive: {
        ...kept.archive,
        preMotionSeconds: seconds.pre ?? 1,
        postMotionSeconds: seconds.post ?? 1,
      },
    },
  };
}
