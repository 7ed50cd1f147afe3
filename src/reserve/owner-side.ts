import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  US_PER_MS,
  US_PER_SECOND,
} from "../base/index.js";
import type { Beat, Partners } from "../fleet/index.js";
import type { RecordingState } from "../recording/index.js";
import { type Camera, cameraOptions, type SiteStore } from "../site/index.js";
import { CAMERAS_PATH } from "./reserve-side.js";

/** What could not be sent to a reserve is sent again after this. */
const LOOK_MS = 2000;
const SEND_MS_MAX = 20_000;
const ANSWER_BYTES_MAX = 16_384;
/** What comes of a camera is counted over so long. */
const RATE_WINDOW_US = 10 * US_PER_SECOND;

export interface OwnerSideOptions {
  readonly site: SiteStore;
  readonly partners: Pick<Partners, "states" | "ask" | "useRecording">;
  readonly recording: {
    state(channelId: Guid): RecordingState;
    receivedBytes(channelId: Guid): number | undefined;
  };
  readonly clock: Clock;
  readonly log: Log;
}

/** What became of the cameras that a partner is to stand in for. */
export interface ReserveState {
  readonly reserveId: Guid;
  readonly cameras: readonly Guid[];
  /** The reserve has them as they are now. */
  readonly isKept: boolean;
  /** Why it has not; undefined: it has, or it was not asked yet. */
  readonly problem: string | undefined;
}

/** This recorder as the owner of cameras that others stand in for: sends them, and says which it records. */
export class OwnerSide {
  readonly #options: OwnerSideOptions;
  readonly #log: Log;
  /** What each partner has taken, as text. */
  readonly #kept = new Map<Guid, string>();
  readonly #problems = new Map<Guid, string>();
  readonly #sending = new Set<Guid>();
  /** Since when each camera is recorded without a pause, monotonic. */
  readonly #sinceUs = new Map<Guid, number>();
  /** What comes of each, and since when that is counted, monotonic. */
  readonly #rates = new Map<Guid, CameraRate>();
  #timer: ClockTimer | undefined;

  constructor(options: OwnerSideOptions) {
    this.#options = options;
    this.#log = options.log.child({ part: "reserve" });
  }

  start(): void {
    const { site, partners, clock } = this.#options;
    partners.useRecording(() => this.#recording());
    site.onChange("events", () => this.#look());
    this.#timer = clock.setInterval(() => this.#look(), LOOK_MS);
  }

  stop(): void {
    this.#timer?.clear();
  }

  states(): readonly ReserveState[] {
    return this.#options.partners.states().flatMap(({ id }) => {
      const cameras = this.#camerasFor(id);
      if (cameras.length === 0) return [];
      const isKept = this.#kept.get(id) === JSON.stringify(cameras);
      return [
        {
          reserveId: id,
          cameras: cameras.map((camera) => camera.id),
          isKept,
          problem: isKept ? undefined : this.#problems.get(id),
        },
      ];
    });
  }

  /** Sends to each partner that is there what it has not. */
  #look(): void {
    for (const { id, isConnected } of this.#options.partners.states()) {
      if (!isConnected) {
        // Whoever comes back may be another's work: it is sent anew.
        this.#kept.delete(id);
        continue;
      }
      const text = JSON.stringify(this.#camerasFor(id));
      if (this.#kept.get(id) !== text && !this.#sending.has(id)) void this.#send(id, text);
    }
  }

  /** Never rejects. */
  async #send(id: Guid, text: string): Promise<void> {
    this.#sending.add(id);
    try {
      const { status, body } = await this.#options.partners.ask(id, {
        ...{ method: "PUT", path: CAMERAS_PATH, body: Buffer.from(text) },
        ...{ bytesMax: ANSWER_BYTES_MAX, withinMs: SEND_MS_MAX },
      });
      if (status !== 200)
        throw new Error(`it answers with ${status}: ${body.toString("utf8").slice(0, 500)}`);
      this.#kept.set(id, text);
      this.#problems.delete(id);
    } catch (error) {
      const reason = errorText(error);
      if (this.#problems.get(id) !== reason)
        this.#log.warn(
          { reserve: id, reason },
          "the reserve does not keep this recorder's cameras: it is tried again",
        );
      this.#problems.set(id, reason);
    } finally {
      this.#sending.delete(id);
    }
  }

  #camerasFor(reserveId: Guid): readonly Camera[] {
    const { current } = this.#options.site;
    return current.cameras.filter(
      (camera) =>
        camera.ownerServerId === current.server.id &&
        cameraOptions(camera).servers.reservedServerId === reserveId,
    );
  }

  #recording(): Beat["Recording"] {
    const { site, recording, clock } = this.#options;
    const nowUs = clock.monotonicUs();
    const list: Beat["Recording"] = [];
    for (const { ownerServerId, id, ...camera } of site.current.cameras) {
      if (ownerServerId !== site.current.server.id) continue;
      if (cameraOptions({ ownerServerId, id, ...camera }).servers.reservedServerId === null) continue;
      if (!isServed(recording.state(id))) {
        this.#sinceUs.delete(id);
        this.#rates.delete(id);
        continue;
      }
      const sinceUs = this.#sinceUs.get(id) ?? nowUs;
      this.#sinceUs.set(id, sinceUs);
      const BytesPerSecond = this.#rateOf(id, nowUs);
      list.push({ Id: id, ForMs: Math.floor((nowUs - sinceUs) / US_PER_MS), BytesPerSecond });
    }
    return list;
  }

  /** Of the last ten seconds or more; undefined: not known yet. */
  #rateOf(id: Guid, nowUs: number): number | undefined {
    const bytes = this.#options.recording.receivedBytes(id);
    const before = this.#rates.get(id);
    if (bytes === undefined) return undefined;
    if (before === undefined || bytes < before.bytes) {
      this.#rates.set(id, { bytes, atUs: nowUs, bytesPerSecond: undefined });
      return undefined;
    }
    const passedUs = nowUs - before.atUs;
    if (passedUs < RATE_WINDOW_US) return before.bytesPerSecond;
    const bytesPerSecond = Math.round(((bytes - before.bytes) * US_PER_SECOND) / passedUs);
    this.#rates.set(id, { bytes, atUs: nowUs, bytesPerSecond });
    return bytesPerSecond;
  }
}

interface CameraRate {
  readonly bytes: number;
  readonly atUs: number;
  readonly bytesPerSecond: number | undefined;
}

/** Its pictures come, and are recorded where they are to be. */
function isServed({ isConnected, isRecording, reason }: RecordingState): boolean {
  return isConnected && (isRecording || reason === undefined);
}
