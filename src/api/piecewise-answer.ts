import type { Headers } from "./response.js";
import { type EndpointResult, type RequestContext, STREAMED } from "./services.js";
import type { StreamResponse } from "./stream-response.js";

/** A body up to this long is sent whole, with its length; a longer one goes out in pieces of about this size. */
export const PIECE_CHARACTERS = 65_536;

/**
 * Answers with a text that is made while it is sent: no more of it is in memory than a piece, however slow the
 * client. A fault after the first piece closes the connection, so that nobody takes the half for the whole.
 */
export async function answerPiecewise(
  context: RequestContext,
  type: string,
  texts: AsyncIterable<string>,
): Promise<EndpointResult> {
  const { response, request, services, log } = context;
  const headers: Headers = [
    ["Content-Type", type],
    ["Cache-Control", "no-store"],
  ];
  if (request.method === "HEAD") return { status: 200, headers, body: new Uint8Array(0) };
  let held = "";
  let stream: StreamResponse | undefined;
  for await (const text of texts) {
    held += text;
    if (held.length < PIECE_CHARACTERS) continue;
    stream ??= response.startStream(headers, { clock: services.clock, log });
    if (stream === undefined) return STREAMED;
    await sendPiece(stream, Buffer.from(held));
    if (stream.closed) return STREAMED;
    held = "";
  }
  if (stream === undefined) return { status: 200, headers, body: Buffer.from(held) };
  await sendPiece(stream, Buffer.from(held));
  stream.end();
  return STREAMED;
}

/** Resolves when the client has taken the piece, or has gone. */
function sendPiece(stream: StreamResponse, piece: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    stream.onDrain = resolve;
    // The listeners of one answer are few: a piece is 64 KiB.
    stream.onClose(resolve);
    if (stream.send([piece])) resolve();
  });
}
