import { randomBytes } from "node:crypto";

/** Frames of WebSockets (RFC 6455, 5.2) as a client has them: what a hub and its box exchange over one stream. */

/** A frame's kind (RFC 6455, 5.2). */
export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A message of a box is no longer. */
export const MESSAGE_BYTES_MAX = 8 * 1024 * 1024;
const CONTROL_BYTES_MAX = 125;
const FIN = 0x80;
const MASKED = 0x80;
const LENGTH_16 = 126;
const LENGTH_64 = 127;
const SHORT_MAX = 125;
const UINT16_MAX = 0xffff;
const MASK_BYTES = 4;

/** A whole frame, masked, as a client has to send it. */
export function clientFrame(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const extended = length <= SHORT_MAX ? 0 : length <= UINT16_MAX ? 2 : 8;
  const frame = Buffer.alloc(2 + extended + MASK_BYTES + length);
  frame[0] = FIN | opcode;
  frame[1] = MASKED | (extended === 0 ? length : extended === 2 ? LENGTH_16 : LENGTH_64);
  if (extended === 2) frame.writeUInt16BE(length, 2);
  if (extended === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomBytes(MASK_BYTES);
  const maskAt = 2 + extended;
  mask.copy(frame, maskAt);
  const payloadAt = maskAt + MASK_BYTES;
  for (let at = 0; at < length; at++)
    frame[payloadAt + at] = (payload[at] ?? 0) ^ (mask[at % MASK_BYTES] ?? 0);
  return frame;
}

/** What a close frame says. */
export function closePayload(code: number, reason: string): Buffer {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code, 0);
  payload.write(reason, 2);
  return payload;
}

/** Receives whole messages and control frames of a server. */
export interface FrameListener {
  onMessage(payload: Buffer, isBinary: boolean): void;
  onPing(payload: Buffer): void;
  /** The last one. `code`: 1005 where none was sent (RFC 6455, 7.4.1). */
  onClose(code: number, reason: string): void;
}

const NO_CODE = 1005;

interface Head {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly headBytes: number;
  readonly payloadBytes: number;
}

/** Cuts what a server sends into frames, and joins those of one message. */
export class ServerFrames {
  readonly #listener: FrameListener;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Of the frame that is being received. */
  #head: Head | undefined;
  #parts: Buffer[] = [];
  #partBytes = 0;
  #isBinary = false;

  constructor(listener: FrameListener) {
    this.#listener = listener;
  }

  /** Throws RangeError where what came is no WebSocket's, or a message is too long. */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (;;) {
      this.#head ??= this.#readHead();
      const head = this.#head;
      if (head === undefined || this.#bytes < head.headBytes + head.payloadBytes) return;
      const frame = this.#take(head.headBytes + head.payloadBytes);
      this.#head = undefined;
      this.#handle(head, frame.subarray(head.headBytes));
    }
  }

  #readHead(): Head | undefined {
    if (this.#bytes < 2) return undefined;
    const start = this.#peek(10);
    const [first = 0, second = 0] = start;
    if ((first & 0x70) !== 0 || (second & MASKED) !== 0)
      throw new RangeError("it is no frame of a WebSocket");
    const [opcode, short] = [first & 0x0f, second & 0x7f];
    const extended = short === LENGTH_16 ? 2 : short === LENGTH_64 ? 8 : 0;
    if (start.length < 2 + extended) return undefined;
    const payloadBytes =
      extended === 0 ? short : extended === 2 ? start.readUInt16BE(2) : Number(start.readBigUInt64BE(2));
    const isControl = opcode >= OPCODES.close;
    if (payloadBytes > (isControl ? CONTROL_BYTES_MAX : MESSAGE_BYTES_MAX - this.#partBytes))
      throw new RangeError("a message is too long");
    return { opcode, isLast: (first & FIN) !== 0, headBytes: 2 + extended, payloadBytes };
  }

  #handle({ opcode, isLast }: Head, payload: Buffer): void {
    switch (opcode) {
      case OPCODES.ping:
        this.#listener.onPing(payload);
        break;
      case OPCODES.pong:
        break;
      case OPCODES.close:
        this.#listener.onClose(
          payload.length >= 2 ? payload.readUInt16BE(0) : NO_CODE,
          payload.subarray(2).toString("utf8"),
        );
        break;
      case OPCODES.text:
      case OPCODES.binary:
        this.#isBinary = opcode === OPCODES.binary;
        this.#join(payload, isLast);
        break;
      case OPCODES.continuation:
        this.#join(payload, isLast);
        break;
      default:
        throw new RangeError("it is no frame of a WebSocket");
    }
  }

  #join(payload: Buffer, isLast: boolean): void {
    this.#parts.push(payload);
    this.#partBytes += payload.length;
    if (!isLast) return;
    const [only] = this.#parts;
    const message = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#partBytes = 0;
    this.#listener.onMessage(message, this.#isBinary);
  }

  /** The first bytes, at most so many, which stay. */
  #peek(bytes: number): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && (first.length >= bytes || this.#chunks.length === 1))
      return first.subarray(0, bytes);
    this.#gather();
    return this.#peek(bytes);
  }

  #take(bytes: number): Buffer {
    this.#gather();
    const [all = Buffer.alloc(0)] = this.#chunks;
    this.#chunks = all.length === bytes ? [] : [all.subarray(bytes)];
    this.#bytes -= bytes;
    return all.subarray(0, bytes);
  }

  #gather(): void {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
  }
}
