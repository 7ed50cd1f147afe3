import type { Clock } from "../../base/index.js";
import type { Headers } from "../../http/index.js";
import { type EndpointResult, type RequestContext, STREAMED } from "../endpoint/context.js";
import { answerHeaders, type CommandRequest, commandForm } from "./answer.js";
import { type ChunkedNeeds, watchAnswer } from "./chunked-answer.js";
import type { Document } from "./description.js";
import { documentTexts } from "./document-text.js";
import { inSlices } from "./slices.js";

/** A body that was made in slices, for answers whose length is said before. */
export interface MadeBody {
  /** Content-Type. */
  readonly type: string;
  /** One, where it is short. */
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
}

/** Makes a body of texts; other work runs meanwhile. */
export async function makeBody(texts: Iterable<string>, type: string, clock: Clock): Promise<MadeBody> {
  const pieces: Buffer[] = [];
  for await (const text of inSlices(texts, clock)) pieces.push(Buffer.from(text));
  return { type, pieces, bytes: pieces.reduce((sum, { length }) => sum + length, 0) };
}

/**
 * Answers with the body and its length. A long one is sent as the client takes it; a change of the user's rights meanwhile closes the
 * connection. `more`: further headers.
 */
export async function answerMade(
  context: RequestContext<ChunkedNeeds>,
  { type, pieces, bytes }: MadeBody,
  more: Headers = [],
): Promise<EndpointResult> {
  const { request, response, needs } = context;
  const headers = [...answerHeaders(type), ...more];
  const [first = new Uint8Array(0)] = pieces;
  if (pieces.length <= 1) return { status: 200, headers, body: first };
  const head = { status: 200, headers, totalBytes: bytes, clock: needs.clock };
  if (request.method === "HEAD") {
    response.sendHead(head);
    return STREAMED;
  }
  const forget = watchAnswer(context);
  try {
    const sized = response.startSized(head);
    for (const piece of pieces) {
      if (sized === undefined || !(await sized.write(piece))) return STREAMED;
      // The kernel may take all of it at once.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await sized?.flush();
  } finally {
    forget();
  }
  return STREAMED;
}

/** `answerCommand` with a document that may be long. `more`: further headers. */
export async function answerLongCommand(
  context: RequestContext<ChunkedNeeds>,
  document: Document,
  more: Headers = [],
): Promise<EndpointResult> {
  const { request, needs } = context;
  const asked: CommandRequest = { query: request.query, accept: request.header("accept") };
  const { format, type, before } = commandForm(asked, needs.clock.nowUs());
  const { pieces, bytes } = await makeBody(documentTexts(document, format), type, needs.clock);
  const head = Buffer.from(before(bytes));
  const [first = new Uint8Array(0), ...others] = pieces;
  const body = { type, pieces: [Buffer.concat([head, first]), ...others], bytes: head.length + bytes };
  return await answerMade(context, body, more);
}
