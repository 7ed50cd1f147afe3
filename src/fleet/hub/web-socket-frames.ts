import { randomBytes } from "node:crypto";

/** Frames of WebSockets (RFC 6455, 5.2): what a hub exchanges with its box, or with another hub, over one stream. */

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
  const mask = randomBytes(MASK_BYTES);
  const masked = Buffer.from(payload);
  applyMask(masked, mask);
  return Buffer.concat([frameHead(opcode, payload.length, MASKED), mask, masked]);
}

/** A whole frame as a server sends it. */
export function serverFrame(opcode: number, payload: Uint8Array): Buffer {
  return Buffer.concat([frameHead(opcode, payload.length, 0), payload]);
}

function frameHead(opcode: number, length: number, masked: number): Buffer {
  const extended = length <= SHORT_MAX ? 0 : length <= UINT16_MAX ? 2 : 8;
  const head = Buffer.alloc(2 + extended);
  head[0] = FIN | opcode;
  head[1] = masked | (extended === 0 ? length : extended === 2 ? LENGTH_16 : LENGTH_64);
  if (extended === 2) head.writeUInt16BE(length, 2);
  if (extended === 8) head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

function applyMask(payload: Buffer, mask: Uint8Array): void {
  for (let at = 0; at < payload.length; at++) payload[at] = (payload[at] ?? 0) ^ (mask[at % MASK_BYTES] ?? 0);
}

/** What a close frame says. */
export function closePayload(code: number, reason: string): Buffer {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code, 0);
  payload.write(reason, 2);
  return payload;
}

/** Receives whole messages and control frames. */
export interface FrameListener {
  onMessage(payload: Buffer, isBinary: boolean): void;
  onPing(payload: Buffer): void;
  /** Left out where nobody was asked. */
  onPong?(payload: Buffer): void;
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

/** Cuts what the other side sends into frames, and joins those of one message. */
export class WebSocketFrames {
  readonly #listener: FrameListener;
  /** What a client sends is masked (RFC 6455, 5.3). */
  readonly #maskBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Of the frame that is being received. */
  #head: Head | undefined;
  #parts: Buffer[] = [];
  #partBytes = 0;
  #isBinary = false;

  constructor(listener: FrameListener, { from = "server" }: { readonly from?: "server" | "client" } = {}) {
    this.#listener = listener;
    this.#maskBytes = from === "client" ? MASK_BYTES : 0;
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
      const payload = frame.subarray(head.headBytes);
      if (this.#maskBytes > 0) applyMask(payload, frame.subarray(head.headBytes - MASK_BYTES));
      this.#handle(head, payload);
    }
  }

  #readHead(): Head | undefined {
    if (this.#bytes < 2) return undefined;
    const start = this.#peek(10);
    const [first = 0, second = 0] = start;
    if ((first & 0x70) !== 0 || (second & MASKED) !== (this.#maskBytes === 0 ? 0 : MASKED))
      throw new RangeError("it is no frame of a WebSocket");
    const [opcode, short] = [first & 0x0f, second & 0x7f];
    const extended = short === LENGTH_16 ? 2 : short === LENGTH_64 ? 8 : 0;
    if (start.length < 2 + extended) return undefined;
    const payloadBytes =
      extended === 0 ? short : extended === 2 ? start.readUInt16BE(2) : Number(start.readBigUInt64BE(2));
    const isControl = opcode >= OPCODES.close;
    if (payloadBytes > (isControl ? CONTROL_BYTES_MAX : MESSAGE_BYTES_MAX - this.#partBytes))
      throw new RangeError("a message is too long");
    const headBytes = 2 + extended + this.#maskBytes;
    return { opcode, isLast: (first & FIN) !== 0, headBytes, payloadBytes };
  }

  #handle({ opcode, isLast }: Head, payload: Buffer): void {
    switch (opcode) {
      case OPCODES.ping:
        this.#listener.onPing(payload);
        break;
      case OPCODES.pong:
        this.#listener.onPong?.(payload);
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
