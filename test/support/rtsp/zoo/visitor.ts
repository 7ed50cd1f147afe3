import type { Archive } from "../../../../src/archive/index.js";
import { ByteBudget, type Clock, createLog, newGuid } from "../../../../src/base/index.js";
import { isAudioCodec } from "../../../../src/live/codec/codec.js";
import { LiveStream, lossWords, type SlabPool, type StreamState } from "../../../../src/live/index.js";
import { ChannelRecorder } from "../../../../src/recording/channel-recorder.js";
import type { Dialer } from "../../../../src/rtsp/client/socket/client-socket.js";
import { type ReadTicker, RtspSource, type TransportChoice } from "../../../../src/rtsp/index.js";
import type { Habit } from "./habit.js";
import { judge, type RecordedFrame, type Verdict } from "./oracle.js";
import type { ZooCamera } from "./zoo-camera.js";

/** What a camera is to do, and over what. */
export interface Visit {
  readonly habits: readonly Habit[];
  readonly transport: "tcp" | "udp";
  readonly seconds: number;
  readonly seed: number;
  /** In simulated time: when the machine that the camera runs on stands still, in seconds after the start. */
  readonly held?: readonly [from: number, to: number];
}

/** What the recorder said of a stream, and when. */
export interface StatusText {
  readonly atMs: number;
  readonly text: string;
}

export interface Outcome extends Verdict {
  readonly statuses: readonly StatusText[];
  readonly camera: ZooCamera;
  readonly frames: readonly RecordedFrame[];
}

/** What all visitors of a world have in common. */
export interface VisitorParts {
  readonly archive: Archive;
  readonly clock: Clock;
  readonly pool: SlabPool;
  readonly ticker: ReadTicker;
}

const LOG = createLog({ level: "silent" });
const PRE_ROLL_BYTES = 1024 * 1024;

/** The recorder of one camera, from its connection to the disk. */
export class Visitor {
  readonly visit: Visit;
  readonly camera: ZooCamera;
  readonly stream = new LiveStream({ channelId: newGuid(), streamType: "Main" });
  readonly #parts: VisitorParts;
  readonly #statuses: StatusText[] = [];
  readonly #source: RtspSource;
  readonly #recorder: ChannelRecorder;

  constructor(options: {
    readonly parts: VisitorParts;
    readonly visit: Visit;
    readonly camera: ZooCamera;
    readonly url: string;
    readonly dialer?: Dialer;
  }) {
    const { parts, visit, camera, url, dialer } = options;
    this.#parts = parts;
    this.visit = visit;
    this.camera = camera;
    const { stream } = this;
    stream.onState((state) => this.#note(stateText(state)));
    stream.losses.onChange(() => {
      for (const loss of stream.losses.reported) this.#note(lossWords(loss, "en").join(": "));
    });
    const transport: TransportChoice = visit.transport;
    this.#source = new RtspSource({
      ...{ url, transport, stream, dialer, wantAudio: true, log: LOG, random: () => 0.5 },
      credentials: visit.habits.find(({ login }) => login !== undefined)?.login,
      ...{ pool: parts.pool, clock: parts.clock, ticker: parts.ticker },
    });
    this.#recorder = new ChannelRecorder({
      ...{ stream, archive: parts.archive, clock: parts.clock, log: LOG },
      recording: { withSound: true, limit: undefined, reachBackUs: 0 },
      budget: new ByteBudget(PRE_ROLL_BYTES),
    });
  }

  start(): void {
    this.#recorder.record(this.#parts.clock.nowUs());
    this.#source.start();
  }

  /** Ends the session, then the recording. */
  async stop(): Promise<void> {
    await this.#source.stop();
    await this.#recorder.stop();
  }

  /** What became of all that the camera sent; once it is stopped. */
  async outcome(): Promise<Outcome> {
    const reader = this.#parts.archive.read(this.stream.key, { fromUs: 0, endsAtEdge: true });
    const frames: RecordedFrame[] = [];
    for (;;) {
      const some = await reader.next();
      if (some.length === 0) break;
      for (const { codec, bytes, decodeTimeUs, presentationOffsetUs, startsFragment } of some)
        frames.push({
          ...{ bytes: Buffer.from(bytes), isAudio: isAudioCodec(codec) },
          ...{ timeUs: decodeTimeUs, shownUs: decodeTimeUs + presentationOffsetUs, startsFragment },
        });
    }
    reader.close();
    return { ...judge(this.camera, frames), statuses: this.#statuses, camera: this.camera, frames };
  }

  #note(text: string): void {
    this.#statuses.push({ atMs: this.camera.nowMs(), text });
  }
}

function stateText(state: StreamState): string {
  if (state.state === "waiting") return "waiting for a key frame";
  return state.state === "lost" ? `lost (${state.cause ?? ""}): ${state.reason}` : state.state;
}
