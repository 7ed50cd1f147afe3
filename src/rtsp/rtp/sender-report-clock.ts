import { type Clock, US_PER_SECOND } from "../../base/index.js";

/** Seconds from 1900, where NTP begins, to 1970 (RFC 3550, 4). */
const NTP_EPOCH_S = 2_208_988_800;
const FRACTIONS_PER_SECOND = 0x10000;

/** The newest sender report of one track (RFC 3550, 6.4.1). */
export class SenderReportClock {
  readonly #clock: Clock;
  #newest: { readonly ntpUs: number; readonly rtpTimestamp: number; readonly receivedUs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get newest(): { readonly ntpUs: number; readonly rtpTimestamp: number } | undefined {
    return this.#newest;
  }

  /** `ntpUs`: NTP time in Unix microseconds. */
  received(ntpUs: number, rtpTimestamp: number): void {
    if (!Number.isFinite(ntpUs)) return;
    this.#newest = { ntpUs, rtpTimestamp: rtpTimestamp >>> 0, receivedUs: this.#clock.monotonicUs() };
  }

  /** LSR of a report block; 0 before there is a report. */
  get lastSenderReport(): number {
    return this.#newest === undefined ? 0 : middleBits(this.#newest.ntpUs);
  }

  /** DLSR of a report block, now; 0 before there is a report. */
  get delaySinceLastSenderReport(): number {
    if (this.#newest === undefined) return 0;
    const delayUs = this.#clock.monotonicUs() - this.#newest.receivedUs;
    return Math.min(Math.floor((delayUs * FRACTIONS_PER_SECOND) / US_PER_SECOND), 0xffffffff);
  }
}

/** The middle 32 of an NTP timestamp's 64 bits: 16 of the seconds, 16 of the fraction. */
function middleBits(unixUs: number): number {
  const seconds = Math.floor(unixUs / US_PER_SECOND);
  const restUs = unixUs - seconds * US_PER_SECOND;
  const fraction = Math.floor((restUs * FRACTIONS_PER_SECOND) / US_PER_SECOND + 0.5) % FRACTIONS_PER_SECOND;
  return (((seconds + NTP_EPOCH_S) % FRACTIONS_PER_SECOND) * FRACTIONS_PER_SECOND + fraction) >>> 0;
}
