/** `$`, channel, length before each packet on an RTSP connection (RFC 2326, 10.12). */
export const INTERLEAVED_HEADER_BYTES = 4;

/** RTP header without CSRCs and extension (RFC 3550, 5.1). */
export const RTP_HEADER_BYTES = 12;

/** RTP payload that fits a 1500-byte Ethernet frame with IPv6, UDP and RTP headers, with room for a VPN. */
export const RTP_PAYLOAD_BYTES_DEFAULT = 1400;

/** Smallest payload limit of a batch: the largest payload header (MJPEG with its tables) and some data. */
export const RTP_PAYLOAD_BYTES_MIN = 320;

/** Largest payload: the length in an interleaved header has 16 bits. */
export const RTP_PAYLOAD_BYTES_MAX = 65_535 - RTP_HEADER_BYTES;

const RTP_VERSION_2 = 0x80;
const EXTENSION = 0x10;
const MARKER = 0x80;
const BYTES_INITIAL = 16 * 1024;
const TIMESTAMP_MODULUS = 2 ** 32;

/** The fields that differ between receivers; the rest of a batch is shared. */
export interface PacketStamp {
  /** Interleaved channel, 0 to 255. */
  readonly channel: number;
  readonly ssrc: number;
  /** Sequence number of the batch's first packet. */
  readonly sequence: number;
  /** Added to each packet's timestamp, modulo 2^32. */
  readonly timestampOffset: number;
  /** A header extension for the first packet (RFC 3550, 5.3.1), its own header included. */
  readonly extension?: Buffer | undefined;
}

/**
 * The packets of one access unit, contiguous in one reused buffer, each after its interleaved header. Packetized once,
 * then stamped for each receiver, in a copy or in place. Before that, channel, SSRC and sequence number are 0. The
 * buffer grows to the largest unit, which the caller limits.
 */
export class PacketBatch {
  readonly payloadBytesMax: number;
  readonly #payloadType: number;
  #memory = Buffer.allocUnsafeSlow(BYTES_INITIAL);
  #offsets = new Int32Array(64);
  /** Of each packet, before a receiver's offset. */
  #timestamps = new Uint32Array(64);
  #count = 0;
  #end = 0;

  /** `payloadBytesMax`: most bytes after the RTP header. Throws RangeError if out of range. */
  constructor(options: { payloadType: number; payloadBytesMax: number }) {
    const { payloadType, payloadBytesMax } = options;
    if (!(payloadBytesMax >= RTP_PAYLOAD_BYTES_MIN && payloadBytesMax <= RTP_PAYLOAD_BYTES_MAX)) {
      throw new RangeError(
        `RTP payload limit ${payloadBytesMax} is outside ${RTP_PAYLOAD_BYTES_MIN} to ${RTP_PAYLOAD_BYTES_MAX}`,
      );
    }
    this.#payloadType = payloadType & 0x7f;
    this.payloadBytesMax = payloadBytesMax;
  }

  get packetCount(): number {
    return this.#count;
  }

  /** All packets with their interleaved headers. A view, valid until the next `clear`. */
  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#end);
  }

  /** Where the interleaved header of each packet begins: the first `packetCount`, valid as `bytes` is. */
  get starts(): Int32Array {
    return this.#offsets;
  }

  /** Of each packet, without a receiver's offset: the first `packetCount`, valid as `bytes` is. */
  get timestamps(): Uint32Array {
    return this.#timestamps;
  }

  get byteLength(): number {
    return this.#end;
  }

  /** Bytes after the RTP headers, as RTCP counts octets (RFC 3550, 6.4.1). */
  get payloadBytes(): number {
    return this.#end - this.#count * (INTERLEAVED_HEADER_BYTES + RTP_HEADER_BYTES);
  }

  /** Bytes that still fit the packet in progress. */
  get room(): number {
    const start = this.#offsets[this.#count - 1] ?? 0;
    return this.payloadBytesMax - (this.#end - start - INTERLEAVED_HEADER_BYTES - RTP_HEADER_BYTES);
  }

  clear(): void {
    this.#count = 0;
    this.#end = 0;
  }

  /** Opens a packet. */
  begin(timestamp: number): void {
    this.#reserve(INTERLEAVED_HEADER_BYTES + RTP_HEADER_BYTES);
    if (this.#count === this.#offsets.length) {
      const offsets = new Int32Array(this.#offsets.length * 2);
      offsets.set(this.#offsets);
      this.#offsets = offsets;
      const timestamps = new Uint32Array(offsets.length);
      timestamps.set(this.#timestamps);
      this.#timestamps = timestamps;
    }
    this.#timestamps[this.#count] = timestamp;
    this.#offsets[this.#count++] = this.#end;
    const memory = this.#memory;
    let at = this.#end;
    at = memory.writeUInt32BE(0x24_00_00_00, at);
    at = memory.writeUInt8(RTP_VERSION_2, at);
    at = memory.writeUInt8(this.#payloadType, at);
    at = memory.writeUInt16BE(0, at);
    at = memory.writeUInt32BE(timestamp >>> 0, at);
    this.#end = memory.writeUInt32BE(0, at);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#memory[this.#end++] = value;
  }

  append(bytes: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    this.#memory.set(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), this.#end);
    this.#end += end - start;
  }

  /** Closes the packet in progress: writes its length. */
  finish(): void {
    const start = this.#offsets[this.#count - 1] ?? 0;
    this.#memory.writeUInt16BE(this.#end - start - INTERLEAVED_HEADER_BYTES, start + 2);
  }

  /** Sets the marker bit of the newest packet: the access unit ends with it. */
  markLast(): void {
    if (this.#count === 0) return;
    const at = (this.#offsets[this.#count - 1] ?? 0) + INTERLEAVED_HEADER_BYTES + 1;
    this.#memory[at] = (this.#memory[at] ?? 0) | MARKER;
  }

  /** Packet `index` from its RTP header to its end, as a datagram carries it. A view. */
  packet(index: number): Buffer {
    const start = this.#offsets[index];
    if (index < 0 || index >= this.#count || start === undefined) {
      throw new RangeError(`no packet ${index} in a batch of ${this.#count}`);
    }
    const end = index + 1 < this.#count ? this.#offsets[index + 1] : this.#end;
    return this.#memory.subarray(start + INTERLEAVED_HEADER_BYTES, end);
  }

  /**
   * Copies all packets into `target` and stamps them. `target` has at least `byteLength` bytes plus those of the
   * extension, which follows the RTP header of the first packet. Returns the next sequence number.
   */
  copyTo(target: Buffer, stamp: PacketStamp): number {
    const extensionBytes = this.#copyBytes(target, stamp.extension);
    return this.#stamp(target, stamp, extensionBytes);
  }

  /**
   * Stamps the packets in place, for a receiver that takes `bytes` before the next stamp. Returns the next sequence
   * number.
   */
  stampInPlace(stamp: Omit<PacketStamp, "extension">): number {
    return this.#stamp(this.#memory, stamp, 0);
  }

  /** Leaves `bytes` to a receiver that still uses them, and continues in a copy. */
  detach(): void {
    const memory = Buffer.allocUnsafeSlow(this.#memory.length);
    this.#memory.copy(memory, 0, 0, this.#end);
    this.#memory = memory;
  }

  #stamp(target: Buffer, stamp: PacketStamp, extensionBytes: number): number {
    let sequence = stamp.sequence & 0xffff;
    for (let index = 0; index < this.#count; index++) {
      const start = index === 0 ? 0 : (this.#offsets[index] ?? 0) + extensionBytes;
      const header = start + INTERLEAVED_HEADER_BYTES;
      target[start + 1] = stamp.channel;
      target.writeUInt16BE(sequence, header + 2);
      const timestamp = ((this.#timestamps[index] ?? 0) + stamp.timestampOffset) % TIMESTAMP_MODULUS;
      target.writeUInt32BE(timestamp, header + 4);
      target.writeUInt32BE(stamp.ssrc >>> 0, header + 8);
      sequence = (sequence + 1) & 0xffff;
    }
    return sequence;
  }

  #copyBytes(target: Buffer, extension: Buffer | undefined): number {
    if (extension === undefined || this.#count === 0) {
      this.#memory.copy(target, 0, 0, this.#end);
      return 0;
    }
    const headerEnd = INTERLEAVED_HEADER_BYTES + RTP_HEADER_BYTES;
    this.#memory.copy(target, 0, 0, headerEnd);
    extension.copy(target, headerEnd);
    this.#memory.copy(target, headerEnd + extension.length, headerEnd, this.#end);
    target.writeUInt16BE(target.readUInt16BE(2) + extension.length, 2);
    target[INTERLEAVED_HEADER_BYTES] = (target[INTERLEAVED_HEADER_BYTES] ?? 0) | EXTENSION;
    return extension.length;
  }

  #reserve(byteLength: number): void {
    const needed = this.#end + byteLength;
    if (needed <= this.#memory.length) return;
    const memory = Buffer.allocUnsafeSlow(Math.max(needed, this.#memory.length * 2));
    this.#memory.copy(memory, 0, 0, this.#end);
    this.#memory = memory;
  }
}
