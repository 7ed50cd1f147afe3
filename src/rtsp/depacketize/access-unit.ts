import { invariant } from "../../base/index.js";
import type { FragmentRun } from "../rtp/fragment-run.js";
import type { RtpPacket } from "../rtp/types.js";
import {
  endsUnits,
  hasPicture,
  isBegun,
  isMarked,
  type MarkerState,
  type UnitState,
  unmarked,
  whereItEnded,
  whereItWentOn,
} from "./unit-state.js";

/**
 * Role of a packet in its picture: it starts one (first slice, start code), precedes one (parameter sets), continues one (later
 * slice or fragment), or may do any of these.
 */
export type PacketRole = "starts" | "precedes" | "continues" | "neutral";

/** A completed access unit, as seen from its packets. One object per track, reused for each unit: do not keep it. */
export interface AccessUnitEnd {
  readonly rtpTimestamp: number;
  /** Bytes of the unit are missing. */
  readonly damaged: boolean;
  /** Packets were lost directly before the unit: it is whole, but frames it refers to may be missing. */
  readonly afterLoss: boolean;
  /** Packets of the unit. */
  readonly packets: number;
  /** Packets lost or unusable between the unit before and the first picture data of this one. */
  readonly gapPackets: number;
  /** The rest of the picture before, which its marker ended too early: nothing is missing. */
  readonly isRest: boolean;
}

export interface AccessUnitOwner {
  /** A fragmented NAL unit has begun and not ended. */
  readonly isInFragment: boolean;
  /** Two pictures of one unit may each have a beginning: the fields of an interlaced frame. */
  readonly mayHaveFields: boolean;
  /** The current fragment ends here: complete without its end bit, or truncated by a loss. */
  endFragment(complete: boolean): void;
  /** The unit is complete. */
  endUnit(unit: AccessUnitEnd): void;
}

/**
 * Finds where access units begin and end in a track's packets, and whether packets of one are missing (`unit-state.ts`). `begin` and
 * `end` are called for each packet, what the packet holds is said between them.
 *
 * A unit ends with the marker bit (RFC 6184, 5.1; RFC 7798, 4.1; RFC 6416, 5.1) once the track has shown that its
 * marker is reliable: the first unit waits for the packet after it. Otherwise it ends when the timestamp changes. If a
 * marker proves false, because the same picture continues after it, units end by timestamp from then on.
 *
 * Markers and timestamps are hints; what the packets contain is certain. A packet that continues a slice or a picture belongs to it,
 * whatever its timestamp, and one that begins a picture ends the one before, although the timestamp stands still.
 */
export class AccessUnit {
  readonly #owner: AccessUnitOwner;
  #state: UnitState = "idle";
  #marker: MarkerState = "unknown";
  /** Of the unit in progress, or of the one before. */
  #timestamp = 0;
  #damaged = false;
  #afterLoss = false;
  #packets = 0;
  #gapPackets = 0;
  #pictureFromStart = false;
  /** First slices in the unit. */
  #beginnings = 0;
  #isRest = false;
  /** A picture went on after silence: silence ends no unit any more. */
  #silenceFalse = false;
  /** Markers came before a fragmented NAL unit's end, and were right: the track sets no end bits. */
  #endsUnfinished = false;
  /** The unit before ended although the timestamp did not change, and without a marker. */
  #timeStands = false;
  /** NaN at first, so that V8 expects no small integer. */
  readonly #end = {
    rtpTimestamp: Number.NaN,
    damaged: false,
    afterLoss: false,
    packets: 0,
    gapPackets: 0,
    isRest: false,
  };

  constructor(owner: AccessUnitOwner) {
    this.#owner = owner;
  }

  /** Assigns a packet to a unit: ends the previous unit if the packet belongs to another. */
  begin(packet: RtpPacket, role: PacketRole): void {
    const sameTime = packet.timestamp === this.#timestamp;
    if (isBegun(this.#state)) {
      if (this.#goesOn(packet, role)) this.#goOnBehindMarker();
      else if (!sameTime) this.#leaveTimestamp(packet);
      else if (hasPicture(this.#state)) this.#stayAtTimestamp(role);
    } else if (this.#state !== "idle" && sameTime && packet.lost === 0) this.#doubtEnd(role);
    if (packet.lost > 0) this.#lose(packet.lost);
    this.#packets += 1;
    this.#timestamp = packet.timestamp;
    this.#state = unmarked(this.#state);
  }

  /** The unit has picture data; `first`: it begins the picture. */
  addPicture(first: boolean): void {
    const state = this.#state;
    invariant(isBegun(state), "unit-order");
    if (!hasPicture(state)) {
      this.#pictureFromStart = first;
      this.#state = state === "leading-marked" ? "picture-marked" : "picture";
    }
    if (first) this.#beginnings += 1;
  }

  /** Picture data of the unit in progress has come. */
  get hasPicture(): boolean {
    return hasPicture(this.#state);
  }

  /** Markers of the track have ended pictures. */
  get endsWithMarker(): boolean {
    return endsUnits(this.#marker);
  }

  /** Bytes of the unit are missing or cannot be parsed. */
  damage(): void {
    this.#damaged = true;
  }

  /** The packet belongs to a picture whose beginning was lost: it cannot be used. */
  unusable(): void {
    this.#damaged = true;
    if (!hasPicture(this.#state)) this.#gapPackets += 1;
  }

  /** The packet is used: ends the unit if its marker says so. */
  end(packet: RtpPacket): void {
    if (packet.marker) this.#endMarked();
  }

  /** The timestamp of the unit if packets that continue it change nothing but their number; else undefined. */
  get runTimestamp(): number | undefined {
    return this.#state === "picture" || this.#state === "leading" ? this.#timestamp : undefined;
  }

  /** The timestamp of the unit before if the next packet may begin a picture without anything to be decided; else undefined. */
  get endedTimestamp(): number | undefined {
    return this.#marker === "right" && !isBegun(this.#state) ? this.#timestamp : undefined;
  }

  /** A run begins a picture, as `begin` and `addPicture` of its first packet would. */
  beginRun(run: FragmentRun): void {
    invariant(!isBegun(this.#state), "unit-order");
    this.#timestamp = run.timestamp;
    this.#state = "leading";
    this.addPicture(true);
  }

  /** Takes into account such packets, as `begin` and `end` of each would. */
  noteRun(run: FragmentRun): void {
    this.#packets += run.packets;
    if (run.isMarked) this.#endMarked();
  }

  #endMarked(): void {
    invariant(isBegun(this.#state), "unit-order");
    const isPicture = hasPicture(this.#state);
    this.#state = isPicture ? "picture-marked" : "leading-marked";
    if (!isPicture || !endsUnits(this.#marker)) return;
    // In the middle of a NAL unit a marker is false, or the unit has no end bit: the next packet decides.
    if (this.#owner.isInFragment && !this.#endsUnfinished) return;
    this.#finish("marked-end");
  }

  /** Ends the unit in progress, if there is picture data in it. */
  finish(): void {
    this.#finish(isBegun(this.#state) ? "idle" : this.#state);
  }

  #finish(next: UnitState): void {
    this.#owner.endFragment(true);
    if (hasPicture(this.#state)) {
      this.#endUnit();
      this.#forgetGap();
    }
    this.#clear(next);
  }

  #endUnit(): void {
    const end = this.#end;
    end.rtpTimestamp = this.#timestamp;
    end.damaged = this.#damaged || !(this.#pictureFromStart || this.#isRest);
    end.afterLoss = this.#afterLoss;
    end.packets = this.#packets;
    end.gapPackets = this.#gapPackets;
    end.isRest = this.#isRest && !this.#pictureFromStart;
    this.#owner.endUnit(end);
  }

  /**
   * No packet came for a while: ends a unit unless its marker is still expected. If a picture continues after such a
   * pause, later units of the track are no longer ended by silence.
   */
  finishSilent(): void {
    const state = this.#state;
    if (!hasPicture(state) || this.#silenceFalse) return;
    if (endsUnits(this.#marker) && !isMarked(state)) return;
    this.#finish("silent-end");
  }

  /** Forgets the current unit and what was learned about the source. */
  reset(): void {
    this.#clear("idle");
    this.#forgetGap();
    this.#marker = "unknown";
    this.#silenceFalse = false;
    this.#endsUnfinished = false;
    this.#timeStands = false;
  }

  #forgetGap(): void {
    this.#afterLoss = false;
    this.#packets = 0;
    this.#gapPackets = 0;
  }

  #clear(next: UnitState): void {
    this.#state = next;
    this.#damaged = false;
    this.#pictureFromStart = false;
    this.#isRest = false;
    this.#beginnings = 0;
  }

  /** Whether the packet continues what is in progress by its contents, with nothing missing between. */
  #goesOn(packet: RtpPacket, role: PacketRole): boolean {
    return role === "continues" && packet.lost === 0 && (hasPicture(this.#state) || this.#owner.isInFragment);
  }

  /** A unit goes on: a marker on the packet before was none. */
  #goOnBehindMarker(): void {
    if (isMarked(this.#state)) this.#marker = whereItWentOn(this.#marker);
  }

  /**
   * The timestamp changes: the unit ends, unless it has only data that precedes this picture (parameter sets sent
   * early).
   */
  #leaveTimestamp(packet: RtpPacket): void {
    const wasMarked = isMarked(this.#state);
    const tailLost = packet.lost > 0 && !wasMarked;
    this.#timeStands = false;
    if (wasMarked && packet.lost === 0) this.#endsUnfinished ||= this.#owner.isInFragment;
    this.#owner.endFragment(!tailLost);
    if (!hasPicture(this.#state)) {
      this.#afterLoss ||= this.#damaged;
      this.#damaged = false;
      return;
    }
    if (tailLost) this.#damaged = true;
    if (wasMarked) this.#marker = whereItEnded(this.#marker);
    this.finish();
  }

  /** An interlaced frame has two. */
  #beginningsMax(): number {
    return this.#owner.mayHaveFields ? 2 : 1;
  }

  /** The timestamp did not change: another picture with the same time, or the unit goes on. */
  #stayAtTimestamp(role: PacketRole): void {
    const begins = role === "starts" || role === "precedes";
    const mayBeRight = this.#marker === "unknown" || this.#marker === "right";
    if (begins && mayBeRight && isMarked(this.#state)) {
      this.#marker = "right";
      this.#endsUnfinished ||= this.#owner.isInFragment;
      this.finish();
    } else if (role === "starts" ? this.#beginnings >= this.#beginningsMax() : begins && this.#timeStands) {
      this.#timeStands = true;
      this.finish();
    }
  }

  /** A unit was ended by its marker, or by silence. If it continues, that was wrong. */
  #doubtEnd(role: PacketRole): void {
    if (role !== "continues") return;
    if (this.#state === "silent-end") {
      this.#silenceFalse = true;
      return;
    }
    this.#marker = "wrong";
    this.#isRest = true;
  }

  #lose(packets: number): void {
    this.#owner.endFragment(false);
    if (hasPicture(this.#state)) this.#damaged = true;
    else {
      this.#afterLoss = true;
      this.#gapPackets += packets;
    }
  }
}
