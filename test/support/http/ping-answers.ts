const PING = 0x89;
const PONG = 0x8a;

/**
 * Goes from frame to frame of what a WebSocket server sends, without keeping anything, and answers its pings: for clients of
 * which a hundred are to cost little.
 */
export class PingAnswers {
  readonly #answer: (pong: Buffer) => void;
  /** The head of a frame, and what a ping says, as far as they have come. */
  #held = Buffer.alloc(0);
  /** Bytes of a frame that are passed over. */
  #left = 0;

  constructor(answer: (pong: Buffer) => void) {
    this.#answer = answer;
  }

  take(chunk: Buffer): void {
    let rest = chunk;
    for (;;) {
      const passed = Math.min(this.#left, rest.length);
      this.#left -= passed;
      rest = rest.subarray(passed);
      if (rest.length === 0) return;
      const bytes = this.#held.length === 0 ? rest : Buffer.concat([this.#held, rest]);
      const needed = needOf(bytes);
      if (bytes.length < needed) {
        this.#held = Buffer.from(bytes);
        return;
      }
      rest = bytes.subarray(needed);
      this.#held = Buffer.alloc(0);
      if (bytes[0] === PING) this.#pong(bytes.subarray(2, needed));
      else this.#left = lengthOf(bytes);
    }
  }

  /** With a mask of zeros. */
  #pong(said: Buffer): void {
    this.#answer(Buffer.concat([Buffer.from([PONG, 0x80 | said.length, 0, 0, 0, 0]), said]));
  }
}

/** Bytes that have to be there before the frame is understood: its head, and all of a ping. */
function needOf(bytes: Buffer): number {
  const short = bytes[1] ?? 0;
  if (bytes.length < 2) return 2;
  if (bytes[0] === PING) return 2 + short;
  return short < 126 ? 2 : short === 126 ? 4 : 10;
}

function lengthOf(bytes: Buffer): number {
  const short = bytes[1] ?? 0;
  if (short < 126) return short;
  return short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
}
