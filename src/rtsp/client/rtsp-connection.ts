import { isIPv6 } from "node:net";
import { type Clock, type ClockTimer, setTimeLimit } from "../../base/index.js";
import type { SlabPool } from "../../live/index.js";
import { writeRequest, writeResponse } from "../message/message-writer.js";
import { headerOf, isSuccess, type RtspMessage, type RtspResponse } from "../message/rtsp-message.js";
import { FragmentRun } from "../rtp/fragment-run.js";
import { SlabWindow } from "../rtp/slab-window.js";
import { MESSAGE_UNITS, ReadAllowance, type ReadBudget } from "./read-allowance.js";
import { connectionFailure, foreignFailure, RtspFailure, unexpectedFailure } from "./rtsp-failure.js";
import type { ClientSocket, Dialer, Endpoint } from "./socket/client-socket.js";
import { type DemuxerSink, InterleavedDemuxer } from "./socket/interleaved-demuxer.js";

/** Receives the packets of one interleaved channel. On the frame path: must not throw or keep the buffer. */
export interface PacketReceiver {
  receive(buffer: Buffer, start: number, end: number): void;
  /** Takes what follows on its channel as far as it can at once. Absent: nothing. */
  receiveRun?(run: FragmentRun): void;
  /** Whether the packet at `start`, on a channel of nobody, is one of its own. Absent: none is. */
  claims?(buffer: Buffer, start: number): boolean;
  /** Takes its packets from a channel that was not agreed to, as long as none came on its own. Absent: as from its own. */
  readonly elsewhere?: PacketReceiver;
}

export interface RtspConnectionOptions {
  readonly endpoint: Endpoint;
  readonly dialer: Dialer;
  readonly pool: SlabPool;
  readonly clock: Clock;
  readonly userAgent: string;
  /** What all cameras together may take of the main thread. */
  readonly budget?: ReadBudget | undefined;
  /** Called once when the connection ends other than by `close`. */
  onFailure(failure: RtspFailure): void;
}

export interface RequestOptions {
  readonly method: string;
  readonly uri: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Time limit for the complete response, however slowly it arrives. */
  readonly timeoutMs: number;
}

/** Most pending requests: one of the dialogue, one keep-alive, one TEARDOWN, one spare. */
const PENDING_REQUESTS_MAX = 4;
/** With more unsent bytes than this, reports and responses to the peer's requests are dropped. */
const UNSENT_BYTES_MAX = 64 * 1024;
/** `$`, channel and length before an interleaved packet (RFC 2326, 10.12). */
const INTERLEAVED_HEADER_BYTES = 4;

/** Quiet after which a body is taken as far as it came: lengths are often wrong. */
export const BODY_QUIET_MS = 2000;
/** Most requests that were given up whose late answers are recognised. */
const LATE_MAX = 32;

interface PendingRequest {
  readonly method: string;
  readonly settle: (outcome: RtspResponse | RtspFailure) => void;
  readonly timer: ClockTimer;
}

/** Of all connections: it is only used within one call. */
const fragmentRun = new FragmentRun();

/** The target once the window is closed; never read. */
const scratch = Buffer.allocUnsafeSlow(4096);

/**
 * One connection to an RTSP server: requests and responses, and interleaved packets. Reads at once, or after
 * `setAtOnce(false)` only between `beginRead` and `endRead`.
 */
export class RtspConnection {
  readonly window: SlabWindow;
  /** What the camera's packets may take; whoever has more work with them charges it. */
  readonly allowance: ReadAllowance;
  readonly #options: RtspConnectionOptions;
  readonly #place: string;
  readonly #demuxer: InterleavedDemuxer;
  readonly #receivers: (PacketReceiver | undefined)[] = [];
  readonly #pending = new Map<string, PendingRequest>();
  readonly #socket: ClientSocket;
  #connected: { resolve(): void; reject(failure: RtspFailure): void } | undefined;
  #failure: RtspFailure | undefined;
  #sequence = 0;
  #isClosed = false;
  #atOnce = true;
  #lastReadFilled = false;
  #receivedBytes = 0;
  /** One turn for all reads of a tick. */
  #isInTick = false;
  /** The allowance was used up before what was read was dealt with: the rest is continued with, and nothing read. */
  #isHeld = false;
  #rest: ClockTimer | undefined;
  /** Requests that were given up: what answers them came too late. */
  readonly #late = new Set<string>();
  #quiet: ClockTimer | undefined;

  constructor(options: RtspConnectionOptions) {
    this.#options = options;
    const { host, port, secure } = options.endpoint;
    this.#place = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
    this.window = new SlabWindow(options.pool);
    this.allowance = new ReadAllowance(options.clock, options.budget);
    const sink: DemuxerSink = {
      onPacket: (channel, buffer, start, end) => this.#receivers[channel]?.receive(buffer, start, end),
      ...(FragmentRun.isPossible && {
        onRun: (channel, buffer, position, end) => this.#onRun(channel, buffer, position, end),
      }),
      onUnknownChannel: (channel, buffer, start, end) => this.#onUnknownChannel(channel, buffer, start, end),
      onMessage: (message) => this.#onMessage(message),
      onProtocolError: (reason) =>
        this.#fail(
          new RtspFailure("protocol", `${this.#place} sent ${reason}: check that the port is its RTSP port`),
        ),
    };
    this.#demuxer = new InterleavedDemuxer(this.window, sink, this.allowance);
    this.#socket = options.dialer.dial(options.endpoint, {
      connected: () => this.#connected?.resolve(),
      target: () => (this.#isClosed ? scratch : this.window.target()),
      received: (byteLength, filled) => this.#received(byteLength, filled),
      closed: (error) => this.#fail(connectionFailure(error, this.#place, secure)),
    });
  }

  get remoteAddress(): string {
    return this.#socket.remoteAddress;
  }

  get localAddress(): string {
    return this.#socket.localAddress;
  }

  /** Over TLS. */
  get isSecure(): boolean {
    return this.#options.endpoint.secure;
  }

  /** Through HTTP. */
  get isTunnel(): boolean {
    return this.#options.endpoint.tunnel !== undefined;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  get counters(): InterleavedDemuxer["counters"] {
    return this.#demuxer.counters;
  }

  /** Resolves when connected; rejects with RtspFailure. */
  async connect(timeoutMs: number): Promise<void> {
    let timer: ClockTimer | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#connected = { resolve, reject };
        if (this.#failure !== undefined) reject(this.#failure);
        timer = setTimeLimit(
          this.#options.clock,
          () => {
            const text = `${this.#place} does not answer within ${timeoutMs / 1000} s: check power, cable and address`;
            this.#fail(new RtspFailure("unreachable", text));
          },
          timeoutMs,
        );
      });
    } finally {
      timer?.clear();
      this.#connected = undefined;
    }
  }

  /** Sends a request and resolves with its final response, whatever its status; rejects with RtspFailure. */
  request(options: RequestOptions): Promise<RtspResponse> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      if (this.#isClosed) return reject(new RtspFailure("stopped", "the connection is closed"));
      if (this.#pending.size >= PENDING_REQUESTS_MAX) {
        return reject(
          new RtspFailure("no-answer", `${this.#place} leaves ${PENDING_REQUESTS_MAX} requests unanswered`),
        );
      }
      this.#sequence += 1;
      const sequence = String(this.#sequence);
      this.#socket.write(this.#encode(options, sequence));
      const settle = (outcome: RtspResponse | RtspFailure): void => {
        this.#pending.get(sequence)?.timer.clear();
        this.#pending.delete(sequence);
        if (outcome instanceof RtspFailure) reject(outcome);
        else resolve(outcome);
      };
      const text = `${this.#place} does not answer ${options.method} within ${options.timeoutMs / 1000} s`;
      const timer = setTimeLimit(
        this.#options.clock,
        () => {
          if (this.#late.size < LATE_MAX) this.#late.add(sequence);
          settle(this.#foreignFailure ?? new RtspFailure("no-answer", text));
        },
        options.timeoutMs,
      );
      this.#pending.set(sequence, { method: options.method, settle, timer });
    });
  }

  /**
   * Adds a receiver for the packets of `channel` (0 to 255); earlier ones stay. Some cameras send all tracks on one
   * channel: receivers recognise their packets by payload type and SSRC.
   */
  addReceiver(channel: number, receiver: PacketReceiver): void {
    const before = this.#receivers[channel];
    this.#receivers[channel] = before === undefined ? receiver : forwardToBoth(before, receiver);
    this.#demuxer.addChannel(channel);
  }

  /** Sends an interleaved packet; drops it if the peer does not read. */
  sendPacket(channel: number, packet: Buffer): void {
    if (this.#isClosed || this.#socket.unsentBytes > UNSENT_BYTES_MAX) return;
    const bytes = Buffer.allocUnsafe(INTERLEAVED_HEADER_BYTES + packet.length);
    bytes[0] = 0x24;
    bytes[1] = channel;
    bytes.writeUInt16BE(packet.length, 2);
    packet.copy(bytes, INTERLEAVED_HEADER_BYTES);
    this.#socket.write(bytes);
  }

  /** It is read within the tick, without the event loop: what came before is there when the tick ends. */
  get readsOnTicks(): boolean {
    return !this.#atOnce && !this.#isHeld && this.#socket.canReadNow;
  }

  setAtOnce(atOnce: boolean): void {
    this.#atOnce = atOnce;
    if (!this.#isClosed && !this.#isHeld) this.#socket.setReading(atOnce);
  }

  /** Reads what the kernel has buffered; if that needs the event loop, until `endRead`, and it answers true. */
  beginRead(): boolean {
    if (this.#atOnce || this.#isClosed || this.#isHeld) return false;
    this.allowance.beginTurn();
    this.#isInTick = true;
    const isRead = this.#socket.readNow();
    this.#isInTick = false;
    if (!this.#isHeld) this.allowance.endTurn();
    if (isRead || this.#isClosed || this.#isHeld) return false;
    this.#lastReadFilled = false;
    this.#socket.setReading(true);
    return true;
  }

  /** Ends the read of a tick, unless it filled its target: then the rest is read first. */
  endRead(): void {
    if (this.#atOnce || this.#isClosed || this.#isHeld || this.#lastReadFilled) return;
    this.#socket.setReading(false);
  }

  /** Ends the connection; with `flush` what was written is still sent. Pending requests reject. Twice is harmless. */
  close(flush = false): void {
    this.#shut(new RtspFailure("stopped", "the connection is closed"), flush);
  }

  #encode(options: RequestOptions, sequence: string): Buffer {
    const headers = { CSeq: sequence, "User-Agent": this.#options.userAgent, ...options.headers };
    try {
      return writeRequest({ method: options.method, uri: options.uri, headers });
    } catch (error) {
      throw new RtspFailure(
        "protocol",
        `${options.method} to ${this.#place} cannot be sent: a value has control characters`,
        {
          cause: error,
        },
      );
    }
  }

  #received(byteLength: number, filled: boolean): boolean {
    if (this.#isClosed) return false;
    this.#receivedBytes += byteLength;
    this.window.committed(byteLength);
    if (this.#isHeld) return false;
    if (!this.#isInTick) this.allowance.beginTurn();
    if (!this.#demux()) return false;
    if (!this.#isInTick) this.allowance.endTurn();
    if (this.#lastReadFilled && !filled && !this.#atOnce) this.#socket.setReading(false);
    this.#lastReadFilled = filled;
    return true;
  }

  /** Deals with what was read. False when the connection is over, or the rest has to wait for its turn. */
  #demux(): boolean {
    try {
      const isDone = this.#demuxer.run();
      this.#watchBody();
      if (isDone) return !this.#isClosed;
    } catch (error) {
      // A bug in nvrd ends this connection, not the process.
      this.#fail(unexpectedFailure(this.#place, error));
      return false;
    }
    this.#hold();
    return false;
  }

  /** Without an end of its own, a body ends when nothing more comes. */
  #watchBody(): void {
    this.#quiet?.clear();
    this.#quiet = undefined;
    if (this.#isClosed || !this.#demuxer.isInBody) return;
    this.#quiet = this.#options.clock.setTimeout(() => this.#demuxer.endBody(), BODY_QUIET_MS);
  }

  /** Nothing more is read until what was read is dealt with, at once or after a rest: TCP makes the camera wait. */
  #hold(): void {
    if (!this.#isHeld) this.#socket.setReading(false);
    this.#isHeld = true;
    this.#lastReadFilled = false;
    const restMs = this.allowance.endTurn();
    if (restMs === 0) setImmediate(() => this.#continue());
    else this.#rest = this.#options.clock.setTimeout(() => this.#continue(), restMs);
  }

  #continue(): void {
    this.#rest = undefined;
    if (this.#isClosed) return;
    this.allowance.beginTurn();
    if (!this.#demux()) return;
    this.allowance.endTurn();
    this.#isHeld = false;
    if (this.#atOnce) this.#socket.setReading(true);
    else this.beginRead();
  }

  /** Some cameras send on other channels than they agreed to: whose packets they are is seen by what they are. */
  #onUnknownChannel(channel: number, buffer: Buffer, start: number, end: number): boolean {
    const receiver = this.#receivers.find((one) => one?.claims?.(buffer, start) === true);
    if (receiver === undefined) return false;
    const { elsewhere = receiver } = receiver;
    this.addReceiver(channel, elsewhere);
    elsewhere.receive(buffer, start, end);
    return true;
  }

  #onRun(channel: number, buffer: Buffer, position: number, end: number): number {
    const receiver = this.#receivers[channel];
    if (receiver?.receiveRun === undefined) return position;
    fragmentRun.begin(buffer, position, end, channel, this.allowance.unitsAtOnce);
    receiver.receiveRun(fragmentRun);
    this.allowance.spend(fragmentRun.packets);
    return fragmentRun.position;
  }

  #onMessage(message: RtspMessage): void {
    this.allowance.spend(MESSAGE_UNITS);
    if (message.kind === "request") {
      this.#answer(message.method, headerOf(message, "cseq"));
      return;
    }
    if (message.status < 200) return;
    this.#requestOf(message)?.settle(message);
  }

  /**
   * The request that a response answers: that of its CSeq, otherwise the oldest one, as some cameras count wrongly. Not if it
   * came too late for a request that was given up, or is not what the oldest one asked for.
   */
  #requestOf(message: RtspResponse): PendingRequest | undefined {
    const sequence = headerOf(message, "cseq")?.trim();
    const key = sequence === undefined ? undefined : String(Number(sequence));
    const named = key === undefined ? undefined : this.#pending.get(key);
    if (named !== undefined) return named;
    if (key !== undefined && this.#late.delete(key)) return undefined;
    const [oldest] = this.#pending.values();
    const isWhole = !isSuccess(message.status) || oldest?.method !== "DESCRIBE" || message.body.length > 0;
    const isSetUp =
      !isSuccess(message.status) || oldest?.method !== "SETUP" || message.headers.has("transport");
    return key === undefined || (isWhole && isSetUp) ? oldest : undefined;
  }

  /** Answers the server's requests: 200 to OPTIONS (a ping) and to TEARDOWN, which ends the session; 501 to others. */
  #answer(method: string, sequence: string | undefined): void {
    if (this.#socket.unsentBytes > UNSENT_BYTES_MAX) return;
    const isKnown = method === "OPTIONS" || method === "TEARDOWN";
    const headers = sequence !== undefined && /^\d{1,10}$/.test(sequence) ? { CSeq: sequence } : {};
    this.#socket.write(writeResponse({ status: isKnown ? 200 : 501, headers }));
    if (method === "TEARDOWN") this.#fail(new RtspFailure("closed", `${this.#place} ended the session`));
  }

  /** What answers is no RTSP server, as far as it is known. */
  get #foreignFailure(): RtspFailure | undefined {
    const { foreign } = this.#demuxer;
    return foreign === undefined ? undefined : foreignFailure(foreign, this.#place);
  }

  #fail(cause: RtspFailure): void {
    if (this.#isClosed) return;
    const failure = (cause.kind === "closed" ? this.#foreignFailure : undefined) ?? cause;
    this.#shut(failure, false);
    this.#options.onFailure(failure);
  }

  #shut(failure: RtspFailure, flush: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#failure = failure;
    this.#demuxer.end();
    this.#rest?.clear();
    this.#quiet?.clear();
    if (flush) this.#socket.end();
    else this.#socket.destroy();
    this.window.close();
    this.#connected?.reject(failure);
    for (const pending of [...this.#pending.values()]) pending.settle(failure);
  }
}

function forwardToBoth(first: PacketReceiver, second: PacketReceiver): PacketReceiver {
  return {
    receive: (buffer, start, end) => {
      first.receive(buffer, start, end);
      second.receive(buffer, start, end);
    },
    claims: (buffer, start) => [first, second].some((one) => one.claims?.(buffer, start) === true),
  };
}
