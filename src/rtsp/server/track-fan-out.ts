import { loadNativeAddon } from "../../base/index.js";
import type { PacketBatch } from "../packetize/packetizer-batch.js";

/** Numbers of a receiver: descriptor, channel, SSRC, sequence number of the first packet, offset of timestamps. */
const RECEIVER_NUMBERS = 5;
const RECEIVERS_INITIAL = 16;

/**
 * Stamps packets for each receiver, and sends them on its socket without waiting. `taken` gets how many bytes each kernel took.
 * False, and nothing sent, for arguments that do not fit one another.
 */
type SendToEach = (
  packets: Uint8Array,
  starts: Int32Array,
  timestamps: Uint32Array,
  packetCount: number,
  receivers: Uint32Array,
  receiverCount: number,
  taken: Int32Array,
) => boolean;

const { sendToEach: native } = loadNativeAddon().functions;
const sendToEach: SendToEach | undefined = typeof native === "function" ? (native as SendToEach) : undefined;

/** One viewer's track that is sent with those of others. */
export interface FanOutViewer {
  /** Descriptor of its socket; less than 0 where packets must not go past its output now. */
  readonly sendableFd: number;
  readonly channel: number;
  readonly ssrc: number;
  readonly timestampOffset: number;
  /** Of the newest frame's first packet. */
  readonly firstSequence: number;
  /** Sends the newest frame by its output: what is behind the first `taken` bytes. May throw. */
  sendRest(taken: number): void;
  /** Ends its stream: it could not be sent. Must not throw. */
  fail(error: unknown): void;
}

/**
 * The viewers of a track that get its newest frame with one call of the addon: it stamps and sends for one after the other,
 * which costs less than as many calls, each with its bit of JavaScript before and after. They are sent to at the end of the turn
 * of the event loop, or before the track's next frame.
 */
export class TrackFanOut {
  readonly #batch: PacketBatch;
  #viewers: (FanOutViewer | undefined)[] = [];
  #count = 0;
  #receivers = new Uint32Array(RECEIVERS_INITIAL * RECEIVER_NUMBERS);
  #taken = new Int32Array(RECEIVERS_INITIAL);

  constructor(batch: PacketBatch) {
    this.#batch = batch;
  }

  /** Whether the viewer is sent the newest frame with the others; otherwise it must be sent it by its output. */
  add(viewer: FanOutViewer): boolean {
    if (sendToEach === undefined || viewer.sendableFd < 0) return false;
    if (this.#count === 0) queueMicrotask(this.#onTurnEnd);
    this.#viewers[this.#count++] = viewer;
    return true;
  }

  /** Sends what was added. Nothing is left of it afterwards. */
  flush(): void {
    if (this.#count === 0) return;
    const count = this.#count;
    this.#count = 0;
    const ready = this.#fillReceivers(count);
    const { packetCount, starts, timestamps, bytes } = this.#batch;
    const taken = this.#taken;
    if (sendToEach?.(bytes, starts, timestamps, packetCount, this.#receivers, ready, taken) !== true)
      taken.fill(0, 0, ready);
    for (let at = 0; at < ready; at++) {
      const sent = taken[at] ?? 0;
      if (sent < bytes.length) this.#sendRest(this.#viewers[at], sent);
    }
    this.#viewers.fill(undefined, 0, count);
  }

  readonly #onTurnEnd = (): void => this.flush();

  /** Returns how many are ready; their viewers are the first ones then. Others are sent to by their outputs. */
  #fillReceivers(count: number): number {
    if (count > this.#taken.length) {
      this.#receivers = new Uint32Array(count * 2 * RECEIVER_NUMBERS);
      this.#taken = new Int32Array(count * 2);
    }
    const receivers = this.#receivers;
    let ready = 0;
    for (let at = 0; at < count; at++) {
      const viewer = this.#viewers[at];
      if (viewer === undefined) continue;
      // Since it was added, its connection may have ended, or been written to.
      const fd = viewer.sendableFd;
      if (fd < 0) {
        this.#sendRest(viewer, 0);
        continue;
      }
      const place = ready * RECEIVER_NUMBERS;
      receivers[place] = fd;
      receivers[place + 1] = viewer.channel;
      receivers[place + 2] = viewer.ssrc;
      receivers[place + 3] = viewer.firstSequence;
      receivers[place + 4] = viewer.timestampOffset;
      this.#viewers[ready++] = viewer;
    }
    return ready;
  }

  /** What goes wrong with one viewer is none of the others' concern. */
  #sendRest(viewer: FanOutViewer | undefined, taken: number): void {
    try {
      viewer?.sendRest(taken);
    } catch (error) {
      viewer?.fail(error);
    }
  }
}
