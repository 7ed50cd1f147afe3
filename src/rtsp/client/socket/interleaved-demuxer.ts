import {
  BODY_BYTES_MAX,
  contentLength,
  HEADER_BYTES_MAX,
  isSuccess,
  parseHead,
  type RtspMessage,
} from "../../message/rtsp-message.js";

/** The unparsed bytes of one connection, parsed in place. */
export interface RawWindow {
  readonly buffer: Buffer;
  readonly rawStart: number;
  readonly rawEnd: number;
  /** Marks everything before `to` as parsed. */
  consume(to: number): void;
}

export interface DemuxerSink {
  /** One `$` frame of a channel named by `addChannel`; the bytes are the window's and valid only during the call. */
  onPacket(channel: number, buffer: Buffer, start: number, end: number): void;
  /**
   * What lies behind such a frame, `buffer[position .. end)`: answers the position up to which it was taken at once, `position` if
   * nothing was. Called only while the turn lasts. Absent: every frame is delivered by itself.
   */
  onRun?(channel: number, buffer: Buffer, position: number, end: number): number;
  onMessage(message: RtspMessage): void;
  /** A `$` frame of a channel that was not named: answers whether it was taken. Absent: none is. */
  onUnknownChannel?(channel: number, buffer: Buffer, start: number, end: number): boolean;
  /** The stream cannot be parsed any further; nothing is delivered after this. */
  onProtocolError(reason: string): void;
}

/** How much is dealt with before others have their turn. */
export interface DemuxerTurn {
  readonly isOver: boolean;
  spend(units: number): void;
}

export interface DemuxerCounters {
  /** Bytes that were neither a frame nor a message. */
  strayBytes: number;
  /** Frames of channels that were not set up. */
  unknownChannelPackets: number;
}

/** What else than RTSP the peer speaks, by its first bytes. */
export type ForeignProtocol = "http" | "tls";

/** Most stray bytes in a row; more mean that the peer does not speak RTSP. */
export const STRAY_BYTES_MAX = 1024 * 1024;

const DOLLAR = 0x24;
const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const EQUALS = 0x3d;
const SMALL_A = 0x61;
const SMALL_Z = 0x7a;
const TLS_ALERT = 0x15;
const TLS_HANDSHAKE = 0x16;
const TLS_MAJOR = 3;
const FRAME_HEADER_BYTES = 4;
/** RTP's fixed header (RFC 3550, 5.1): when resynchronising, a shorter frame on an RTP channel is not accepted. */
const RTP_HEADER_BYTES = 12;
const RTCP_HEADER_BYTES = 4;
/** Start of every message a server may send: a response, also of one that calls itself HTTP, or one of RFC 2326's methods. */
const MESSAGE_STARTS = [
  "RTSP/",
  "HTTP/",
  "OPTIONS ",
  "DESCRIBE ",
  "ANNOUNCE ",
  "GET_PARAMETER ",
  "SET_PARAMETER ",
  "REDIRECT ",
  "SETUP ",
  "PLAY ",
  "PAUSE ",
  "RECORD ",
  "TEARDOWN ",
].map((text) => Buffer.from(text, "latin1"));
const ASCII_CASE_BIT = 0x20;
/** LF of the last line, and CR CR LF. */
const BLANK_LINE_BYTES_MAX = 4;

interface PendingMessage {
  readonly message: RtspMessage;
  body: Buffer;
  filled: number;
  /** Its length is missing or wrong: it ends where something else begins, or nothing more comes. */
  isOpen: boolean;
}

/** First memory of a body of unknown length. */
const OPEN_BODY_BYTES = 16 * 1024;
const MESSAGE_START = Buffer.from("RTSP/", "latin1");
/** A session description that has media can be used as far as it came. */
const MEDIA_LINE = /(?:^|[\r\n])m *=/i;

/**
 * Splits the bytes of an RTSP connection into `$` frames (RFC 2326, 10.12) and messages, in place, wherever reads
 * divide them. Other bytes are skipped up to the next plausible start: a `$` with a known channel, a plausible length
 * and the RTP version, or `RTSP/`.
 */
export class InterleavedDemuxer {
  readonly counters: DemuxerCounters = { strayBytes: 0, unknownChannelPackets: 0 };
  readonly #window: RawWindow;
  readonly #sink: DemuxerSink;
  readonly #turn: DemuxerTurn | undefined;
  readonly #known = new Uint8Array(256);
  /** Bytes after the window's start that were already searched for the end of a header. */
  #searched = 0;
  #pending: PendingMessage | undefined;
  #inSync = true;
  #strayRun = 0;
  #ended = false;
  #heardNothing = true;
  #foreign: ForeignProtocol | undefined;

  constructor(window: RawWindow, sink: DemuxerSink, turn?: DemuxerTurn) {
    this.#window = window;
    this.#sink = sink;
    this.#turn = turn;
  }

  /** Names a channel (0 to 255) that SETUP agreed on. */
  addChannel(channel: number): void {
    this.#known[channel] = 1;
  }

  /** What the peer speaks instead of RTSP; undefined once it has sent a message, and where it is not known. */
  get foreign(): ForeignProtocol | undefined {
    return this.#heardNothing ? this.#foreign : undefined;
  }

  /** Stops delivery, also of what is already in the window. */
  end(): void {
    this.#ended = true;
  }

  /** Handles everything complete in the window; call it after each read. False if its turn was over before. */
  run(): boolean {
    while (!this.#ended) {
      const { rawStart, rawEnd } = this.#window;
      if (rawStart >= rawEnd) return true;
      if (this.#turn?.isOver === true) return false;
      this.#turn?.spend(1);
      const progressed =
        this.#pending === undefined ? this.#step(rawStart, rawEnd) : this.#fillBody(rawStart, rawEnd);
      if (!progressed) return true;
    }
    return true;
  }

  /** Handles the item at `at`; false if it needs more bytes. */
  #step(at: number, end: number): boolean {
    const first = this.#window.buffer[at];
    if (first === DOLLAR) return this.#frame(at, end);
    if (first === LF || first === CR) {
      this.#window.consume(at + 1);
      return true;
    }
    const start = this.#messageStartsAt(at, end);
    if (start === "yes") return this.#head(at, end);
    if (start === "perhaps") return false;
    return this.#skipStray(at, end);
  }

  #frame(at: number, end: number): boolean {
    if (end - at < FRAME_HEADER_BYTES) return false;
    const { buffer } = this.#window;
    const channel = buffer[at + 1] ?? 0;
    const payloadStart = at + FRAME_HEADER_BYTES;
    const payloadEnd = payloadStart + buffer.readUInt16BE(at + 2);
    const isKnown = this.#known[channel] === 1;
    if (payloadEnd > payloadStart || !this.#inSync) {
      if (end <= payloadStart) return false;
      if (!this.#isPlausible(channel, isKnown, payloadStart, payloadEnd)) return this.#skipStray(at, end);
    }
    if (end < payloadEnd) return false;
    this.#inSync = true;
    this.#strayRun = 0;
    if (isKnown) this.#sink.onPacket(channel, buffer, payloadStart, payloadEnd);
    else if (this.#sink.onUnknownChannel?.(channel, buffer, payloadStart, payloadEnd) !== true)
      this.counters.unknownChannelPackets += 1;
    // The receiver may have closed the connection, and its window with it.
    if (this.#ended) return true;
    this.#window.consume(payloadEnd);
    if (isKnown) this.#run(channel, buffer, payloadEnd, end);
    return true;
  }

  /** One run after the other, as long as something is taken. */
  #run(channel: number, buffer: Buffer, from: number, end: number): void {
    let position = from;
    while (position < end) {
      const taken = this.#sink.onRun?.(channel, buffer, position, end) ?? position;
      // As after a packet: the receiver may have closed the connection.
      if (taken === position || this.#ended) return;
      this.#window.consume(taken);
      position = taken;
      if (this.#turn?.isOver === true) return;
    }
  }

  /** RTP and RTCP packets begin with version 2; when out of sync, channel and length must fit too. */
  #isPlausible(channel: number, isKnown: boolean, payloadStart: number, payloadEnd: number): boolean {
    const version = (this.#window.buffer[payloadStart] ?? 0) >> 6;
    const bytesMin = channel % 2 === 0 ? RTP_HEADER_BYTES : RTCP_HEADER_BYTES;
    return version === 2 && (this.#inSync || (isKnown && payloadEnd - payloadStart >= bytesMin));
  }

  /** Whether a message starts at `at`: "perhaps" if the bytes so far match one but are too few to decide. */
  #messageStartsAt(at: number, end: number): "yes" | "no" | "perhaps" {
    const { buffer } = this.#window;
    let answer: "no" | "perhaps" = "no";
    for (const [index, start] of MESSAGE_STARTS.entries()) {
      if (index > 0 && !this.#inSync) break;
      const compared = Math.min(start.length, end - at);
      let same = 0;
      while (same < compared && equalIgnoringCase(buffer[at + same] ?? 0, start[same] ?? 0)) same += 1;
      if (same === start.length) return "yes";
      if (same === compared) answer = "perhaps";
    }
    return answer;
  }

  #head(at: number, end: number): boolean {
    const { buffer } = this.#window;
    if (this.#heardNothing) this.#foreign ??= foreignAt(buffer, at, end);
    const headEnd = findHeadEnd(buffer, at + this.#searched, end);
    if ((headEnd ?? end) - at > HEADER_BYTES_MAX) {
      return this.#fail(`a message header longer than ${HEADER_BYTES_MAX} bytes`);
    }
    if (headEnd === undefined) {
      // The last bytes may be the first half of the blank line.
      this.#searched = Math.max(0, end - at - BLANK_LINE_BYTES_MAX);
      return false;
    }
    this.#searched = 0;
    const message = parseHead(buffer.toString("latin1", at, headEnd));
    if (message === undefined) return this.#skipStray(at, end);
    const bodyBytes = contentLength(message.headers);
    if (bodyBytes > BODY_BYTES_MAX) return this.#fail(`a message body longer than ${BODY_BYTES_MAX} bytes`);
    this.#window.consume(headEnd);
    if (bodyBytes > 0) this.#pending = { message, body: Buffer.alloc(bodyBytes), filled: 0, isOpen: false };
    else if (isDescription(message) || this.#isTextBehind(message, headEnd, end))
      this.#pending = { message, body: Buffer.alloc(OPEN_BODY_BYTES), filled: 0, isOpen: true };
    else this.#deliver(message);
    return true;
  }

  /** Whether a description comes right behind a head that says nothing of a body. */
  #isTextBehind(message: RtspMessage, at: number, end: number): boolean {
    if (message.kind !== "response" || !isSuccess(message.status) || message.headers.has("content-length"))
      return false;
    const { buffer } = this.#window;
    // Its lines may be in any order.
    const first = buffer[at] ?? 0;
    return end - at > 2 && first >= SMALL_A && first <= SMALL_Z && buffer[at + 1] === EQUALS;
  }

  /** A message's body is not complete yet, and may never be: lengths may be wrong. */
  get isInBody(): boolean {
    return this.#pending !== undefined;
  }

  /** Nothing more comes: a body is delivered as far as it came; a session description if it has media, or no length of its own. */
  endBody(): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    const isUsable = pending.isOpen || !isDescription(pending.message);
    if (isUsable || MEDIA_LINE.test(pending.body.toString("latin1", 0, pending.filled)))
      this.#finishBody(pending);
  }

  /** The body is collected outside the window, as it may be longer than the window. */
  #fillBody(at: number, end: number): boolean {
    const pending = this.#pending;
    if (pending === undefined) return false;
    if (pending.isOpen) return this.#fillOpenBody(pending, at, end);
    const most = Math.min(end - at, pending.body.length - pending.filled);
    const taken = this.#textBytes(pending, at, most, end);
    this.#window.buffer.copy(pending.body, pending.filled, at, at + taken);
    pending.filled += taken;
    this.#window.consume(at + taken);
    if (taken < most) {
      // More bytes decide, or none come.
      if (this.#isNoText(at + taken, end) === "perhaps") return false;
      this.#finishBody(pending);
      return true;
    }
    if (pending.filled < pending.body.length) return true;
    // Lines that follow at once are of the description: its length was too small.
    if (isDescription(pending.message) && this.#goesOn(pending, at + taken, end)) pending.isOpen = true;
    else this.#finishBody(pending);
    return true;
  }

  /**
   * How many of `most` bytes in `[at, end)` are a body's: all up to a packet, and none if a message is in its place. Then the length
   * is that of a body which does not come, or not as a whole.
   */
  #textBytes({ filled }: PendingMessage, at: number, most: number, end: number): number {
    const { buffer } = this.#window;
    if (filled === 0 && this.#isNoText(at, end) !== "no") return 0;
    for (
      let from = buffer.indexOf(DOLLAR, at);
      from >= 0 && from < at + most;
      from = buffer.indexOf(DOLLAR, from + 1)
    )
      if (this.#isNoText(from, end) !== "no") return from - at;
    return most;
  }

  /** Whether a packet of a known channel is at `at`, whose number no text contains, or a message. */
  #isNoText(at: number, end: number): "yes" | "no" | "perhaps" {
    const { buffer } = this.#window;
    if (buffer[at] === DOLLAR) {
      if (at + 1 >= end) return "perhaps";
      const channel = buffer[at + 1] ?? SPACE;
      return channel < SPACE && this.#known[channel] === 1 ? "yes" : "no";
    }
    const compared = Math.min(MESSAGE_START.length, end - at);
    const isSame = buffer.compare(MESSAGE_START, 0, compared, at, at + compared) === 0;
    if (!isSame) return "no";
    return compared === MESSAGE_START.length ? "yes" : "perhaps";
  }

  /** Whether the text in the window goes on with the lines of a description. */
  #goesOn({ body, filled }: PendingMessage, at: number, end: number): boolean {
    const { buffer } = this.#window;
    const next = buffer[at] ?? 0;
    if (at >= end || next === DOLLAR || startsMessage(buffer, at, end)) return false;
    const isInLine = filled > 0 && body[filled - 1] !== LF && body[filled - 1] !== CR;
    if (isInLine) return next >= SPACE;
    return next >= SMALL_A && next <= SMALL_Z && (at + 1 === end || buffer[at + 1] === EQUALS);
  }

  #fillOpenBody(pending: PendingMessage, at: number, end: number): boolean {
    const { buffer } = this.#window;
    let bodyEnd = at;
    let isAtLine = pending.filled === 0 || pending.body[pending.filled - 1] === LF;
    while (bodyEnd < end) {
      const byte = buffer[bodyEnd];
      if (isAtLine && (byte === DOLLAR || startsMessage(buffer, bodyEnd, end))) break;
      isAtLine = byte === LF;
      bodyEnd += 1;
    }
    const filled = pending.filled + bodyEnd - at;
    if (filled > BODY_BYTES_MAX) return this.#fail(`a message body longer than ${BODY_BYTES_MAX} bytes`);
    if (filled > pending.body.length) {
      const larger = Buffer.alloc(Math.max(filled, Math.min(2 * pending.body.length, BODY_BYTES_MAX)));
      pending.body.copy(larger, 0, 0, pending.filled);
      pending.body = larger;
    }
    buffer.copy(pending.body, pending.filled, at, bodyEnd);
    pending.filled = filled;
    this.#window.consume(bodyEnd);
    if (bodyEnd < end) this.#finishBody(pending);
    return true;
  }

  #finishBody(pending: PendingMessage): void {
    this.#pending = undefined;
    this.#deliver({ ...pending.message, body: pending.body.subarray(0, pending.filled) });
  }

  #deliver(message: RtspMessage): void {
    this.#heardNothing = false;
    this.#inSync = true;
    this.#strayRun = 0;
    this.#sink.onMessage(message);
  }

  #skipStray(at: number, end: number): boolean {
    const { buffer } = this.#window;
    if (this.#heardNothing) this.#foreign ??= foreignAt(buffer, at, end);
    let next = at + 1;
    while (next < end && !isPossibleStart(buffer[next] ?? 0)) next += 1;
    this.#inSync = false;
    this.#searched = 0;
    this.counters.strayBytes += next - at;
    this.#strayRun += next - at;
    if (this.#strayRun > STRAY_BYTES_MAX) return this.#fail("bytes that are not RTSP");
    this.#window.consume(next);
    return true;
  }

  #fail(reason: string): false {
    this.#ended = true;
    this.#sink.onProtocolError(reason);
    return false;
  }
}

/** A web server's answer; a record of TLS, an alert or a handshake of any version (RFC 8446, 5.1). */
function foreignAt(buffer: Buffer, at: number, end: number): ForeignProtocol | undefined {
  if (buffer.toString("latin1", at, Math.min(end, at + 5)) === "HTTP/") return "http";
  const isRecord = buffer[at] === TLS_ALERT || buffer[at] === TLS_HANDSHAKE;
  return isRecord && end - at > 2 && buffer[at + 1] === TLS_MAJOR ? "tls" : undefined;
}

/** The answer to DESCRIBE that has a session description. */
function isDescription(message: RtspMessage): boolean {
  if (message.kind !== "response" || !isSuccess(message.status)) return false;
  return (
    /\bsdp\b/i.test(message.headers.get("content-type")?.[0] ?? "") || message.headers.has("content-base")
  );
}

function startsMessage(buffer: Buffer, at: number, end: number): boolean {
  return (
    end - at >= MESSAGE_START.length &&
    buffer.compare(MESSAGE_START, 0, MESSAGE_START.length, at, at + MESSAGE_START.length) === 0
  );
}

function isPossibleStart(byte: number): boolean {
  return byte === DOLLAR || (byte & ~ASCII_CASE_BIT) === 0x52;
}

function equalIgnoringCase(byte: number, expected: number): boolean {
  const isLetter = expected >= 0x41 && expected <= 0x5a;
  return byte === expected || (isLetter && byte === (expected | ASCII_CASE_BIT));
}

/** Index after the empty line that ends a header; a line of spaces does not end it. Lines may end with LF, CR LF or CR CR LF. */
function findHeadEnd(buffer: Buffer, from: number, end: number): number | undefined {
  for (let lf = buffer.indexOf(LF, from); lf >= 0 && lf < end; lf = buffer.indexOf(LF, lf + 1)) {
    let at = lf + 1;
    while (at < end && buffer[at] === CR && at - lf < BLANK_LINE_BYTES_MAX) at += 1;
    if (at < end && buffer[at] === LF) return at + 1;
  }
  return undefined;
}
