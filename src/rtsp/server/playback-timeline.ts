/** How far behind the newest timestamp a jump goes on: the distance of frames at 25 a second. */
export const JUMP_STEP_US = 40_000;

/**
 * Media time of a playback: as RTP timestamps are to be, it runs on over seeks and gaps (RFC 2326, Appendix B), and
 * passes by Scale slower than the recording. The first frame has its recorded time.
 */
export class PlaybackTimeline {
  #scale = 1;
  #anchor: { readonly recordedUs: number; readonly mediaUs: number } | undefined;
  #newestUs: number | undefined;

  /** A PLAY begins. `goesOn`: behind what was sent, where the scale is the same. */
  begin(options: { readonly scale: number; readonly goesOn: boolean }): void {
    if (!options.goesOn || options.scale !== this.#scale) this.#anchor = undefined;
    this.#scale = options.scale;
  }

  /** Media time that a frame of the presentation time `recordedUs` has, or will have. */
  at(recordedUs: number): number {
    const anchor = this.#anchor ?? this.#nextAnchor(recordedUs);
    return Math.round(anchor.mediaUs + (recordedUs - anchor.recordedUs) / this.#scale);
  }

  /** Media time of a frame that is sent now. */
  take(recordedUs: number, isJump: boolean): number {
    if (isJump || this.#anchor === undefined) this.#anchor = this.#nextAnchor(recordedUs);
    const mediaUs = this.at(recordedUs);
    this.#newestUs = Math.max(this.#newestUs ?? mediaUs, mediaUs);
    return mediaUs;
  }

  #nextAnchor(recordedUs: number): { readonly recordedUs: number; readonly mediaUs: number } {
    return { recordedUs, mediaUs: this.#newestUs === undefined ? recordedUs : this.#newestUs + JUMP_STEP_US };
  }
}
