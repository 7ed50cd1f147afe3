import type { LossId } from "../../contract/answer/index.js";
import type { FragmentRun } from "../rtp/fragment-run.js";
import type { DepacketizedUnit, RtpPacket } from "../rtp/types.js";

/** Turns the RTP payloads of one track into access units or audio frames. Never throws because of a payload's contents. */
export interface Depacketizer {
  /** Takes the next packet in sequence. */
  receive(packet: RtpPacket): void;
  /** Whether the packets that continue the unit in progress, or begin the next, may be taken in a run; says what they look like. Absent: never. */
  allowsRun?(run: FragmentRun): boolean;
  /** Takes into account a run that `allowsRun` allowed, as `receive` of each packet would. */
  noteRun?(run: FragmentRun): void;
  /** Ends the unit in progress as complete: no packet follows. */
  flush(): void;
  /** No packet came for a while: ends the current unit unless more of it is expected. */
  finishSilent(): void;
  /** Drops the current unit, as the source changed. The format learned from SDP and stream stays. */
  reset(): void;
}

/** Receives video units as they are completed; their bytes are then in the track's FrameBuilder. */
export interface UnitSink {
  onUnit(unit: DepacketizedUnit): void;
  /** Something of the track was dropped. Called while a packet is handled. */
  onLoss(id: LossId): void;
}

/** Receives audio frames as they are completed; `bytes` is separate memory that never changes. */
export interface AudioSink {
  onAudio(unit: DepacketizedUnit, bytes: Buffer): void;
  /** A packet was dropped: malformed or not supported. */
  onBadPacket(): void;
}

/** Where nothing says whether a packet goes on with the one before: no camera cuts what it sends into shorter pieces. */
export const CUT_BYTES_MIN = 500;
