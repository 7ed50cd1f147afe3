/** The sound track of a feed. The same object for all units of one track. */
export interface FeedSoundTrack {
  /** The sample entry (ISO/IEC 14496-12, 8.5.2). */
  readonly entry: Buffer;
  /** The `codecs` parameter (RFC 6381). */
  readonly codec: string;
  /** The track's timescale: samples a second. */
  readonly rate: number;
}
