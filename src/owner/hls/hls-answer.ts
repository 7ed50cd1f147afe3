import type { Headers, SizedResponse } from "../../http/index.js";
import { type EndpointResult, type NamedContext, STREAMED } from "../../route/index.js";
import type { HlsNeeds } from "./hls-sessions.js";

/** A body up to this size is sent at once, with its length; a longer one as the client takes it. */
const WHOLE_BYTES_MAX = 64 * 1024;
/** How long a client may take for one file, because its bytes are held meanwhile. */
export const FILE_MS_MAX = 30_000;

export type HlsType = "application/vnd.apple.mpegurl" | "video/mp4";

/** One object for all answers of a type. */
const HEADERS: Readonly<Record<HlsType, Headers>> = {
  "application/vnd.apple.mpegurl": headersOf("application/vnd.apple.mpegurl"),
  "video/mp4": headersOf("video/mp4"),
};

function headersOf(type: HlsType): Headers {
  return [
    ["Content-Type", type],
    ["Cache-Control", "no-store"],
  ];
}

/** Sends immutable bytes shared with other clients; nothing is copied for a slow client. */
export async function answerPieces(
  context: NamedContext<HlsNeeds>,
  type: HlsType,
  pieces: readonly Uint8Array[],
): Promise<EndpointResult> {
  const { request, response, needs } = context;
  const headers = HEADERS[type];
  const byteLength = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined && byteLength <= WHOLE_BYTES_MAX)
    return { status: 200, headers, body: only };
  if (request.method === "HEAD") {
    response.sendHead({ status: 200, headers, totalBytes: byteLength });
    return STREAMED;
  }
  const sized = response.startSized({ status: 200, headers, totalBytes: byteLength, clock: needs.clock });
  if (sized === undefined) return STREAMED;
  const sent = sendPieces(sized, pieces);
  // Most clients have room for all of a file, which is sent within the call then, and there is nothing to wait for.
  await (sized.closed ? sent : inTime(context, sent));
  return STREAMED;
}

async function sendPieces(sized: SizedResponse, pieces: readonly Uint8Array[]): Promise<void> {
  for (const piece of pieces) if (!(await sized.write(piece))) return;
  await sized.flush();
}

/** Closes the connection if it takes too long. */
async function inTime(context: NamedContext<HlsNeeds>, sent: Promise<void>): Promise<void> {
  const { response, needs } = context;
  const timer = needs.clock.setTimeout(() => {
    context.log.info({ limitMs: FILE_MS_MAX }, "client took too long for a segment: closed");
    response.close();
  }, FILE_MS_MAX);
  try {
    await sent;
  } finally {
    timer.clear();
  }
}
