/** The codecs that a client of the live socket can say it plays, by their names in MIME types (RFC 6381). */
export const CLIENT_CODECS = ["avc1", "hvc1", "mp4a", "flac"] as const;
export type ClientCodec = (typeof CLIENT_CODECS)[number];
