import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { Clock, ClockTimer } from "../base/index.js";

/** The longest packet that is accepted from a broker: commands are a few bytes. */
export const PACKET_BYTES_MAX = 64 * 1024;
/** How many packets a broker may send in a tenth of a second; the rest waits in the kernel, and then at the broker. */
export const PACKETS_PER_TICK = 50;
const TICK_MS = 100;
/** A length in MQTT has at most four bytes of seven bits (MQTT 3.1.1, 2.2.3). */
const LENGTH_BYTES_MAX = 4;
const LENGTH_BITS = 7;
const LENGTH_MORE = 0x80;

export interface PacedSocketOptions {
  readonly socket: Socket;
  readonly clock: Clock;
}

/** The library passes on only errors that have a code. */
class PacketError extends Error {
  readonly code = "PACKET_TOO_LONG";
}

/**
 * A connection to a broker that nobody has to trust: the library would collect a packet of any length, and read as fast as
 * the broker sends. Here a packet has a limit, and a broker that floods is read at a pace.
 */
export class PacedSocket extends Duplex {
  readonly #socket: Socket;
  readonly #clock: Clock;
  #held: Buffer = Buffer.alloc(0);
  /** Bytes of the current packet that are still to come. */
  #missing = 0;
  #packetsLeft = PACKETS_PER_TICK;
  #timer: ClockTimer | undefined;
  #wantsMore = false;

  constructor({ socket, clock }: PacedSocketOptions) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    this.#clock = clock;
    socket.on("data", (bytes) => this.#receive(bytes));
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy());
    socket.on("end", () => this.push(null));
  }

  override _read(): void {
    this.#wantsMore = true;
    this.#pass();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#timer?.clear();
    this.#held = Buffer.alloc(0);
    this.#socket.destroy();
    done(error);
  }

  #receive(bytes: Buffer): void {
    if (this.destroyed) return;
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    this.#socket.pause();
    this.#pass();
  }

  /** Passes on what may be passed on now, and reads on when nothing is left. */
  #pass(): void {
    while (this.#wantsMore && !this.destroyed) {
      const count = this.#bytesToPass();
      if (count === undefined) return;
      if (count === 0) {
        this.#socket.resume();
        return;
      }
      const bytes = this.#held.subarray(0, count);
      this.#held = this.#held.subarray(count);
      this.#missing -= count;
      if (!this.push(bytes)) this.#wantsMore = false;
    }
  }

  /** Bytes of one packet that are here; 0: more must come first; undefined: not now. */
  #bytesToPass(): number | undefined {
    if (this.#missing === 0 && !this.#beginPacket()) return this.destroyed ? undefined : this.#orWait();
    return Math.min(this.#missing, this.#held.length);
  }

  #orWait(): number | undefined {
    return this.#packetsLeft > 0 ? 0 : undefined;
  }

  /** Reads the length of the next packet. False: its head is not here yet, it is its turn later, or it is too long. */
  #beginPacket(): boolean {
    const length = packetLength(this.#held);
    if (length === undefined) return false;
    if (length > PACKET_BYTES_MAX) {
      this.destroy(new PacketError(`it sent a packet of more than ${PACKET_BYTES_MAX} bytes`));
      return false;
    }
    if (this.#packetsLeft === 0) return false;
    this.#timer ??= this.#clock.setTimeout(() => this.#tick(), TICK_MS);
    this.#packetsLeft -= 1;
    this.#missing = length;
    return true;
  }

  #tick(): void {
    this.#timer = undefined;
    this.#packetsLeft = PACKETS_PER_TICK;
    this.#pass();
  }
}

/** The length of the packet that begins here, its head included; undefined: its head is not whole. */
function packetLength(bytes: Buffer): number | undefined {
  let length = 0;
  for (let index = 0; index < LENGTH_BYTES_MAX; index++) {
    const byte = bytes[index + 1];
    if (byte === undefined) return undefined;
    length += (byte & (LENGTH_MORE - 1)) * 2 ** (LENGTH_BITS * index);
    if (byte < LENGTH_MORE) return length + index + 2;
  }
  return Number.POSITIVE_INFINITY;
}
