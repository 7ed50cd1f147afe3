import type { DepacketizedUnit, RtpPacket } from "./types.js";

/** Turns the RTP payloads of one track into access units or audio frames. Never throws for what a payload holds. */
export interface Depacketizer {
  /** Takes the next packet in sequence. */
  receive(packet: RtpPacket): void;
  /** Ends the unit in progress as complete: no packet follows. */
  flush(): void;
  /** No packet has come for a while: ends the unit in progress if nothing says that more of it will come. */
  finishSilent(): void;
  /** Drops the unit in progress: the source changed. What SDP and the stream said of the format stays. */
  reset(): void;
}

/** Takes video units as they are completed; their bytes are in the track's FrameBuilder at that moment. */
export interface UnitSink {
  onUnit(unit: DepacketizedUnit): void;
}

/** Takes audio frames as they are completed; `bytes` is memory of its own that never changes. */
export interface AudioSink {
  onAudio(unit: DepacketizedUnit, bytes: Buffer): void;
  /** A packet was dropped: malformed, or of a kind that nvrd does not take. */
  onBadPacket(): void;
}
