import type { RtpPacket } from "../rtp/types.js";
import { CUT_BYTES_MIN } from "./depacketizer.js";
import type { NalSyntax } from "./nal-syntax.js";
import { START_BIT } from "./unit-state.js";

const FORBIDDEN_BIT = 0x80;

/**
 * Finds a camera that cuts its pictures, with their start codes, into packets anywhere, as no standard has it: the first packet of a
 * picture begins with a start code, and the others are read on, whatever their first bytes look like. It is such a camera from the
 * first packet on that follows a cut unit and is no part of a picture by itself.
 */
export class ByteStream {
  readonly #syntax: NalSyntax;
  #isFound = false;
  /** Bytes of the packet before, if it may have been cut off; else 0. */
  #cutBytes = 0;
  #type = 0;
  #timestamp = 0;
  #wasMarked = true;

  constructor(syntax: NalSyntax) {
    this.#syntax = syntax;
  }

  get isFound(): boolean {
    return this.#isFound;
  }

  /** Whether the packet is part of such a stream. `hasCode`: it begins with a start code. */
  takes(packet: RtpPacket, hasCode: boolean): boolean {
    const isNewPicture = this.#wasMarked && packet.timestamp !== this.#timestamp;
    if (this.#isFound) this.#isFound = hasCode || !isNewPicture || packet.lost > 0;
    else this.#isFound = !hasCode && this.#isCutOff(packet);
    return this.#isFound;
  }

  /** Whether the packet's last unit may be cut off: it begins with a start code, and is as long as such packets are. */
  mayBeCut({ payloadStart, payloadEnd }: RtpPacket, hasCode: boolean): boolean {
    return hasCode && payloadEnd - payloadStart >= CUT_BYTES_MIN;
  }

  /** The packet is used: its last unit has `type`. */
  note(packet: RtpPacket, hasCode: boolean, type: number): void {
    const { payloadStart, payloadEnd, marker, timestamp } = packet;
    this.#cutBytes = this.mayBeCut(packet, hasCode) ? payloadEnd - payloadStart : 0;
    this.#type = type;
    this.#timestamp = timestamp;
    this.#wasMarked = marker;
  }

  reset(): void {
    this.#isFound = false;
    this.#cutBytes = 0;
    this.#wasMarked = true;
  }

  #isCutOff({ buffer, payloadStart, payloadEnd, timestamp, lost }: RtpPacket): boolean {
    const bytes = payloadEnd - payloadStart;
    if (this.#cutBytes === 0 || bytes > this.#cutBytes || lost > 0) return false;
    return (
      timestamp === this.#timestamp && bytes > 0 && !this.#mayStandAlone(buffer, payloadStart, payloadEnd)
    );
  }

  /** All slices of a picture have one type. */
  #mayFollow(type: number): boolean {
    return type === this.#type || !this.#syntax.isPicture(this.#type);
  }

  /** Whether a packet may be another part of the picture, as the standards have it. */
  #mayStandAlone(buffer: Buffer, start: number, end: number): boolean {
    const { headerBytes, fragments, isPicture, type } = this.#syntax;
    const first = buffer[start] ?? 0;
    if ((first & FORBIDDEN_BIT) !== 0) return false;
    if ((first & fragments.structureMask) === fragments.structure) {
      const bits = buffer[start + headerBytes] ?? 0;
      return (bits & START_BIT) !== 0 && this.#mayFollow(bits & (headerBytes === 1 ? 0x1f : 0x3f));
    }
    const own = type(buffer, start);
    return isPicture(own) ? this.#mayFollow(own) : end - start < CUT_BYTES_MIN;
  }
}
