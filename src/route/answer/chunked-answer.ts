import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../base/index.js";
import type { Headers, StreamResponse } from "../../http/index.js";
import { type EndpointResult, type RequestContext, STREAMED } from "../endpoint/context.js";
import type { OpenStreams } from "../endpoint/open-streams.js";
import { answerHeaders } from "./answer.js";
import { PIECE_CHARACTERS } from "./slices.js";

/** The needs of a chunked answer. */
export interface ChunkedNeeds {
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
}

/** How long a client may take for the whole answer, because it occupies one of few places. */
export const CHUNKED_ANSWER_MS_MAX = 300_000;

/**
 * Answers with a text that is generated while it is sent: only one piece is in memory, however slow the client. An error after
 * the first piece closes the connection, so that the client detects the incomplete answer; so does a change of the user's
 * rights. `more`: further headers.
 */
export async function answerInChunks(
  context: RequestContext<ChunkedNeeds>,
  type: string,
  texts: AsyncIterable<string>,
  more: Headers = [],
): Promise<EndpointResult> {
  const { request } = context;
  const headers = [...answerHeaders(type), ...more];
  if (request.method === "HEAD") return { status: 200, headers, body: new Uint8Array(0) };
  const forget = watchAnswer(context);
  try {
    return await sendTexts(context, headers, texts);
  } catch (error) {
    // What makes the texts may give up when nobody takes them any more.
    if (!context.response.finished) throw error;
    return STREAMED;
  } finally {
    forget();
  }
}

/** Closes the answer if it takes too long, or the user's rights change. Returns a function that stops watching. */
export function watchAnswer({
  needs,
  response,
  principal,
  credentials,
  log,
}: RequestContext<ChunkedNeeds>): () => void {
  const close = (): void => response.close();
  const forget = needs.openStreams.add({
    credentials,
    mayContinue: (now) => isDeepStrictEqual(now.group, principal.group),
    end: close,
  });
  const timer = needs.clock.setTimeout(() => {
    log.info({ limitMs: CHUNKED_ANSWER_MS_MAX }, "client took too long for its answer: closed");
    close();
  }, CHUNKED_ANSWER_MS_MAX);
  return () => {
    forget();
    timer.clear();
  };
}

async function sendTexts(
  { response, needs, log }: RequestContext<ChunkedNeeds>,
  headers: Headers,
  texts: AsyncIterable<string>,
): Promise<EndpointResult> {
  let held = "";
  let stream: StreamResponse | undefined;
  for await (const text of texts) {
    held += text;
    if (held.length < PIECE_CHARACTERS) continue;
    stream ??= response.startStream(headers, { clock: needs.clock, log });
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

/** Resolves when the client has taken the piece, or disconnected. */
function sendPiece(stream: StreamResponse, piece: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    stream.onDrain = resolve;
    // There are few listeners per answer, because a piece has 64 KiB.
    stream.onClose(resolve);
    if (stream.send([piece])) resolve();
  });
}
