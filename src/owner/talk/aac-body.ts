import { ADTS_HEADER_BYTES, adtsHeader, noAdts, type SpokenFormat } from "../../camera/index.js";

export interface AacBody {
  readonly format: SpokenFormat;
  /** All of it, what was read for the format included. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Reads the first header of a stream of ADTS frames. Rejects with NvrdError BAD_REQUEST where it does not begin with one. */
export async function readAacFormat(stream: AsyncIterable<Uint8Array>): Promise<AacBody> {
  const pieces = stream[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < ADTS_HEADER_BYTES) {
    const piece = await pieces.next();
    if (piece.done === true) throw noAdts();
    head = Buffer.concat([head, piece.value]);
  }
  const header = adtsHeader(head);
  if (header === undefined) throw noAdts();
  const { sampleRate, channels, initialization } = header;
  return { format: { kind: "aac", sampleRate, channels, initialization }, body: rejoined(head, pieces) };
}

async function* rejoined(head: Uint8Array, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  for (;;) {
    const piece = await pieces.next();
    if (piece.done === true) return;
    yield piece.value;
  }
}
