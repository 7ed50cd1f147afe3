import { US_PER_SECOND } from "../../base/index.js";
import { NTP_UNIX_OFFSET_SECONDS, ntpFraction } from "./sender-report.js";

/** Bytes that the replay extension adds to the first packet of an access unit. */
export const REPLAY_EXTENSION_BYTES = 16;

const PROFILE = 0xabac;
const WORDS = 3;
const CLEAN_POINT = 0x80;
const END_OF_SECTION = 0x40;
const DISCONTINUITY = 0x20;

/** The fields of the replay extension (ONVIF Streaming Specification, 6.3). */
export interface ReplayFields {
  /** Time of recording: the presentation time, Unix microseconds. */
  readonly timeUs: number;
  readonly isKey: boolean;
  readonly isJump: boolean;
  readonly endsSection: boolean;
  /** CSeq of the PLAY; its low byte is sent. */
  readonly cseq: number;
}

/** The RTP header extension 0xABAC (ONVIF Streaming Specification, 6.3; RFC 3550, 5.3.1). */
export function replayExtension(fields: ReplayFields): Buffer {
  const extension = Buffer.alloc(REPLAY_EXTENSION_BYTES);
  const seconds = Math.floor(fields.timeUs / US_PER_SECOND);
  extension.writeUInt16BE(PROFILE, 0);
  extension.writeUInt16BE(WORDS, 2);
  extension.writeUInt32BE((seconds + NTP_UNIX_OFFSET_SECONDS) % 2 ** 32, 4);
  extension.writeUInt32BE(ntpFraction(fields.timeUs - seconds * US_PER_SECOND), 8);
  extension[12] =
    (fields.isKey ? CLEAN_POINT : 0) |
    (fields.endsSection ? END_OF_SECTION : 0) |
    (fields.isJump ? DISCONTINUITY : 0);
  extension[13] = fields.cseq & 0xff;
  return extension;
}
