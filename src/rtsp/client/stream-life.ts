import { US_PER_MS, US_PER_SECOND } from "../../base/index.js";
import type { RtspTimeouts } from "./rtsp-dialogue.js";
import { droppedSession, RtspFailure } from "./rtsp-failure.js";

/** A stream that has no picture this long after its first packet, or after PLAY, waits for a key frame, and this is reported. */
export const KEY_WAIT_REPORTED_US = 4 * US_PER_SECOND;
/** Packets without a picture are life for this long; then another session may find what this one lacks. */
export const PICTURELESS_US_MAX = 300 * US_PER_SECOND;
/** The same once there were pictures: what they need was there. */
export const PICTURELESS_AGAIN_US_MAX = 60 * US_PER_SECOND;
/** Silence that a living camera may keep while its rate is not known: one that sends a picture a minute is not given up. */
export const UNKNOWN_RATE_SILENCE_US = 60 * US_PER_SECOND;
/** A camera may be silent for this many times its longest time between two pictures. */
export const SILENT_PICTURES = 4;
/** The same of a camera that answers nothing meanwhile, whose connection may be dead. */
const UNANSWERED_PICTURES = 2;
/** A session that the camera calls unknown is over when nothing of it comes for this long. */
export const DROPPED_SILENCE_US = 2 * US_PER_SECOND;
/** Longest silence of a living camera, whatever it showed. */
export const SILENCE_US_MAX = 600 * US_PER_SECOND;
/** The longest that patience grows to, and the length of a session after which it begins anew. */
export const PATIENCE_US_MAX = 120 * US_PER_SECOND;
const DOUBLINGS_MAX = 8;
const STEADY_SESSION_US = 600 * US_PER_SECOND;

/**
 * How long a source waits for a camera that falls silent. It doubles each time a session ended in silence shortly after it began: a
 * camera that sends rarely is not asked to begin again and again, and one that hangs is found soon. Outlives the sessions.
 */
export class Patience {
  #doublings = 0;

  /** A time-out, lengthened; not beyond PATIENCE_US_MAX, but never shortened. */
  of(us: number): number {
    return Math.max(us, Math.min(us * 2 ** Math.floor(this.#doublings), PATIENCE_US_MAX));
  }

  /** A session brought no packet at all. Over the other transport it may, so it counts half. */
  sentNothing(): void {
    this.#doublings = Math.min(this.#doublings + 0.5, DOUBLINGS_MAX);
  }

  /** A session ended in silence, `lastedUs` after it began. */
  fellSilent(lastedUs: number): void {
    if (lastedUs >= STEADY_SESSION_US) this.#doublings = 0;
    else this.#doublings = Math.min(this.#doublings + 1, DOUBLINGS_MAX);
  }
}

export interface StreamLifeOptions {
  readonly timeouts: Pick<RtspTimeouts, "firstFrameMs" | "frameProgressMs">;
  readonly patience: Patience;
  /** Asks the camera for an answer, as nothing comes from it. */
  ask(): void;
}

/** What came from the camera since the session began, as counts. */
export interface LifeSigns {
  /** RTP packets of the pictures' track. */
  readonly videoPackets: number;
  /** Everything: bytes of the connection, packets of all tracks. */
  readonly all: number;
}

/**
 * Decides whether a session is alive. Packets of pictures are life, whether or not a picture can be made of them; where they pause,
 * so are reports and answers, for as long as the camera's own rate of pictures makes it likely that it has nothing to send.
 */
export class StreamLife {
  readonly #options: StreamLifeOptions;
  /** When the camera began to play; undefined before. */
  #startUs: number | undefined;
  /** Four times the time between two pictures, as the camera announces it; 0 where it does not. */
  #announcedUs = 0;
  #videoPackets = 0;
  #firstVideoUs: number | undefined;
  #videoUs = 0;
  #all = 0;
  #allUs = 0;
  #asked = false;
  #pictureUs: number | undefined;
  #hadPicture = false;
  #newestTimeUs: number | undefined;
  #longestGapUs = 0;
  #newestGapUs = 0;
  /** When the camera said that it does not know the session; undefined while packets have come since. */
  #droppedUs: number | undefined;

  constructor(options: StreamLifeOptions) {
    this.#options = options;
  }

  /** Stream time between the newest two pictures; 0 before there are two. */
  get newestGapUs(): number {
    return this.#newestGapUs;
  }

  /** The camera plays. `announcedGapUs`: between two pictures, as it says; undefined where it does not. */
  begin(nowUs: number, announcedGapUs?: number): void {
    this.#startUs = nowUs;
    this.#videoUs = nowUs;
    this.#allUs = nowUs;
    this.#announcedUs = Math.min(SILENT_PICTURES * (announcedGapUs ?? 0), SILENCE_US_MAX);
  }

  /** The camera says that it does not know the session. `nowUs`: of `attentiveUs`. */
  dropped(nowUs: number): void {
    this.#droppedUs ??= nowUs;
  }

  /** A picture was published. Its stream time shows the camera's rate, as arrival in bursts does not. */
  onPicture(decodeTimeUs: number, discontinuity: boolean): void {
    this.#hadPicture = true;
    if (this.#newestTimeUs !== undefined && !discontinuity) {
      const gapUs = decodeTimeUs - this.#newestTimeUs;
      if (gapUs > this.#longestGapUs) this.#longestGapUs = gapUs;
      this.#newestGapUs = gapUs;
    }
    this.#newestTimeUs = decodeTimeUs;
  }

  /** Whether packets come and no picture has been made of them since the session began. */
  isWaiting(nowUs: number): boolean {
    return (
      this.#pictureUs === undefined &&
      this.#firstVideoUs !== undefined &&
      this.#startUs !== undefined &&
      nowUs - this.#startUs >= KEY_WAIT_REPORTED_US
    );
  }

  /** Takes what came; a failure if the session is not alive any more. `nowUs`: of `attentiveUs`. */
  look(nowUs: number, { videoPackets, all }: LifeSigns): RtspFailure | undefined {
    if (videoPackets !== this.#videoPackets) {
      this.#videoPackets = videoPackets;
      this.#videoUs = nowUs;
      this.#firstVideoUs ??= nowUs;
      this.#droppedUs = undefined;
    }
    if (all !== this.#all) {
      this.#all = all;
      this.#allUs = nowUs;
      this.#asked = false;
    }
    if (this.#hadPicture) {
      this.#hadPicture = false;
      this.#pictureUs = nowUs;
    }
    if (this.#startUs === undefined) return undefined;
    if (this.#isDropped(nowUs)) return droppedSession();
    this.#askWhenQuiet(nowUs);
    return this.#pictureUs === undefined
      ? this.#lookForFirst(nowUs, this.#startUs)
      : this.#lookForNext(nowUs, this.#pictureUs);
  }

  /** A camera that sends rarely has the time of a picture to show that the session goes on. */
  #isDropped(nowUs: number): boolean {
    if (this.#droppedUs === undefined) return false;
    const waitUs = Math.max(DROPPED_SILENCE_US, Math.min(2 * this.#longestGapUs, UNKNOWN_RATE_SILENCE_US));
    return nowUs - this.#droppedUs >= waitUs;
  }

  /** Half of the time after which a silent camera is given up is left for its answer. */
  #askWhenQuiet(nowUs: number): void {
    const { timeouts, ask } = this.#options;
    if (this.#asked || nowUs - this.#allUs < (timeouts.frameProgressMs * US_PER_MS) / 2) return;
    this.#asked = true;
    ask();
  }

  #lookForFirst(nowUs: number, startUs: number): RtspFailure | undefined {
    const { timeouts, patience } = this.#options;
    const sinceUs = this.#firstVideoUs;
    const progressUs = patience.of(timeouts.frameProgressMs * US_PER_MS);
    if (sinceUs === undefined) {
      const waitUs = Math.max(patience.of(timeouts.firstFrameMs * US_PER_MS), this.#announcedUs);
      return nowUs - startUs < waitUs ? undefined : noFrames("no-data", waitUs);
    }
    const silentUs = Math.max(progressUs, this.#announcedUs);
    if (nowUs - this.#videoUs >= silentUs) return noFrames("no-frames", nowUs - sinceUs);
    return nowUs - sinceUs < PICTURELESS_US_MAX ? undefined : noFrames("no-frames", nowUs - sinceUs);
  }

  #lookForNext(nowUs: number, pictureUs: number): RtspFailure | undefined {
    const allowedUs = this.#silenceUs(nowUs);
    if (nowUs - this.#videoUs >= allowedUs) return stalled(nowUs - this.#videoUs);
    const pictureless = Math.max(PICTURELESS_AGAIN_US_MAX, allowedUs);
    return nowUs - pictureUs >= pictureless ? stalled(nowUs - pictureUs) : undefined;
  }

  /** How long no picture may come. */
  #silenceUs(nowUs: number): number {
    const { timeouts, patience } = this.#options;
    const leastUs = patience.of(timeouts.frameProgressMs * US_PER_MS);
    if (nowUs - this.#allUs >= leastUs)
      return Math.max(leastUs, Math.min(UNANSWERED_PICTURES * this.#longestGapUs, UNKNOWN_RATE_SILENCE_US));
    const rateUs = this.#longestGapUs > 0 ? SILENT_PICTURES * this.#longestGapUs : UNKNOWN_RATE_SILENCE_US;
    return Math.max(leastUs, Math.min(Math.max(rateUs, this.#announcedUs), SILENCE_US_MAX));
  }
}

function noFrames(kind: "no-data" | "no-frames", us: number): RtspFailure {
  const what = kind === "no-data" ? "no data" : "no whole frame";
  return new RtspFailure(kind, `the camera plays, but ${what} came within ${seconds(us)} s`);
}

function stalled(us: number): RtspFailure {
  return new RtspFailure("stalled", `no frames from the camera for ${seconds(us)} s`);
}

function seconds(us: number): number {
  return Math.floor(us / US_PER_SECOND);
}
