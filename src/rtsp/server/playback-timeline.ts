/** After a jump, timestamps continue this far after the newest: one frame at 25 a second. */
export const JUMP_STEP_US = 40_000;

/**
 * Media time of a playback. As RTP timestamps must (RFC 2326, Appendix B), it is continuous over seeks and gaps, and it
 * is slower than the recording's time by the factor Scale. The first frame has its recorded time.
 */
export class PlaybackTimeline {
  #scale = 1;
  #anchor: { readonly recordedUs: number; readonly mediaUs: number } | undefined;
  #newestUs: number | undefined;

  /** Begins a PLAY. `continues`: whether it follows what was sent; then times continue if the scale is the same. */
  begin(options: { readonly scale: number; readonly continues: boolean }): void {
    if (!options.continues || options.scale !== this.#scale) this.#anchor = undefined;
    this.#scale = options.scale;
  }

  /** Media time of a frame with presentation time `recordedUs`. */
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
