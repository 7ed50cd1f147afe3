import type { Headers } from "../../http/index.js";
import { type EndpointResult, type NamedContext, STREAMED } from "../route/index.js";
import type { HlsNeeds } from "./needs.js";

/** A body up to this size is sent at once, with its length; a longer one as the client takes it. */
const WHOLE_BYTES_MAX = 64 * 1024;
/** How long a client may take for one file, because its bytes are held meanwhile. */
export const FILE_MS_MAX = 30_000;

/** Sends immutable bytes shared with other clients; nothing is copied for a slow client. */
export async function answerPieces(
  context: NamedContext<HlsNeeds>,
  type: string,
  pieces: readonly Uint8Array[],
): Promise<EndpointResult> {
  const { request, response, needs } = context;
  const headers: Headers = [
    ["Content-Type", type],
    ["Cache-Control", "no-store"],
  ];
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
  const timer = needs.clock.setTimeout(() => {
    context.log.info({ limitMs: FILE_MS_MAX }, "client took too long for a segment: closed");
    response.close();
  }, FILE_MS_MAX);
  try {
    for (const piece of pieces) if (!(await sized.write(piece))) return STREAMED;
    await sized.flush();
  } finally {
    timer.clear();
  }
  return STREAMED;
}
