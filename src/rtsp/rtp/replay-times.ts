import { US_PER_SECOND } from "../../base/index.js";
import type { StreamTime } from "../../live/index.js";
import type { StreamTimes, TrackTimes } from "./track-times.js";

/** The RTP header extension of a replay (ONVIF Streaming Specification, 6.3). */
const PROFILE = 0xabac;
const WORDS_MIN = 3;
const RTP_HEADER_BYTES = 12;
const END_OF_SECTION = 0x40;
const DISCONTINUITY = 0x20;
/** Seconds from 1900 (NTP) to 1970 (Unix). */
const NTP_UNIX_OFFSET_S = 2_208_988_800;
const TWO_32 = 2 ** 32;
/** Access units whose times are remembered: more than a decoder may hold back. */
const TIMES_MAX = 64;
/** Times this little behind the frame before are rounding or reordering. */
const BACK_US_MAX = 1_000_000;

interface PacketTime {
  readonly timeUs: number;
  readonly isJump: boolean;
}

/** The times of one track of a replay: those that its packets carry, exactly, and between them by their RTP timestamps. */
export class ReplayTrackTimes implements TrackTimes {
  readonly #times = new Map<number, PacketTime>();
  #anchor: { readonly presentationUs: number; readonly timeUs: number } | undefined;
  #lastUs = Number.NEGATIVE_INFINITY;
  #sectionEnded = false;

  /** The last packet that was looked at belongs to a frame that ends a contiguous stretch of the recording. */
  get sectionEnded(): boolean {
    return this.#sectionEnded;
  }

  /** Looks at the header of the RTP packet `buffer[start .. end)`. */
  look(buffer: Buffer, start: number, end: number): void {
    if (end - start < RTP_HEADER_BYTES) return;
    const first = buffer[start] ?? 0;
    if ((first & 0x10) === 0) return;
    const at = start + RTP_HEADER_BYTES + (first & 0x0f) * 4;
    if (at + 4 + WORDS_MIN * 4 > end) return;
    if (buffer.readUInt16BE(at) !== PROFILE || buffer.readUInt16BE(at + 2) < WORDS_MIN) return;
    const seconds = buffer.readUInt32BE(at + 4);
    const fraction = buffer.readUInt32BE(at + 8);
    const flags = buffer[at + 12] ?? 0;
    // NTP era 1 starts in 2036; seconds that would be before 1968 belong to it.
    const eraSeconds = seconds < 0x80000000 ? seconds + TWO_32 : seconds;
    const timeUs =
      (eraSeconds - NTP_UNIX_OFFSET_S) * US_PER_SECOND + Math.round((fraction * US_PER_SECOND) / TWO_32);
    const timestamp = buffer.readUInt32BE(start + 4);
    const isJump = (flags & DISCONTINUITY) !== 0 || this.#times.get(timestamp)?.isJump === true;
    this.#times.delete(timestamp);
    this.#times.set(timestamp, { timeUs, isJump });
    this.#sectionEnded = (flags & END_OF_SECTION) !== 0;
    for (const oldest of this.#times.keys()) {
      if (this.#times.size <= TIMES_MAX) break;
      this.#times.delete(oldest);
    }
  }

  media(rawUs: number): number {
    // A replay runs as fast as it is read.
    return rawUs;
  }

  mediaFollowing(rawUs: number): number {
    return rawUs;
  }

  stamp(
    mediaUs: number,
    _arrivedUs: number | undefined,
    rtpTimestamp: number,
    presentationUs: number,
  ): StreamTime | undefined {
    const known = this.#times.get(rtpTimestamp);
    if (known !== undefined) this.#anchor = { presentationUs, timeUs: known.timeUs };
    const anchor = this.#anchor;
    if (anchor === undefined) return undefined;
    const shownUs = anchor.timeUs + presentationUs - anchor.presentationUs;
    const decodedUs = Math.round(shownUs - (presentationUs - mediaUs));
    const isBarelyBack = decodedUs <= this.#lastUs && this.#lastUs - decodedUs < BACK_US_MAX;
    const timeUs = isBarelyBack ? this.#lastUs + 1 : decodedUs;
    this.#lastUs = timeUs;
    return { timeUs, discontinuity: known?.isJump === true };
  }

  senderReport(): void {
    // The packets' own times are those of the recording.
  }
}

/** Tracks of a replay do not share a clock: each is given its times. */
export class ReplayTimes implements StreamTimes {
  #newest = new ReplayTrackTimes();

  /** Of the track that was opened last. */
  get newest(): ReplayTrackTimes {
    return this.#newest;
  }

  openTrack(): ReplayTrackTimes {
    this.#newest = new ReplayTrackTimes();
    return this.#newest;
  }

  closeTrack(): void {
    // Nothing is shared.
  }
}
