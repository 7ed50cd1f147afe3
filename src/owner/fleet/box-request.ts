import type { ClientHttp2Stream, OutgoingHttpHeaders } from "node:http2";
import { maySeeFleet } from "../../access/index.js";
import type { Guid } from "../../base/index.js";
import { type AnswerHead, type BoxRequest, headOf, OFF_SITE_HEADER } from "../../fleet/index.js";
import type { Headers, SizedResponse, StreamResponse } from "../../http/index.js";
import { type EndpointResult, LACK_HEADER, type RequestContext, STREAMED } from "../../route/index.js";
import { requireHub } from "./boxes.js";
import type { FleetNeeds } from "./fleet-control.js";
import { hubUserOf } from "./hub-user.js";

/** Answers up to this length are sent as a whole. */
const WHOLE_BYTES_MAX = 256 * 1024;
/** What of a request the box is sent. */
const PASSED_ON = [
  ...["accept", "accept-language", "content-type", "user-agent", "range", "if-range"],
  ...["if-match", "if-none-match", "if-modified-since", "x-requested-with"],
];
/** What of its answer the browser is sent. */
const SENT_BACK: ReadonlySet<string> = new Set([
  ...["content-type", "content-range", "accept-ranges", "etag", "last-modified", "cache-control"],
  ...["content-disposition", "retry-after", "allow", OFF_SITE_HEADER, LACK_HEADER],
]);
/** Media streams and files have a connection of their own, so that they delay no command. */
const MEDIA = /^\/+(?:video|hls|mobile|site|exportarchive|api\/(?:live|strip|talk|findings\/))/i;
/** A box may be in strange hands: nothing that it answers is a page of this hub, or runs in one. */
const NO_PAGE: Headers = [["Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'"]];
const SAME_ORIGIN: Headers = [["Cross-Origin-Resource-Policy", "same-origin"]];

/** What is asked of which box. */
export interface BoxTarget {
  readonly boxId: Guid;
  /** Path and query at the box. */
  readonly path: string;
  /** What is sent in place of the request's own body. */
  readonly body?: Uint8Array;
  /** Pages of other sites may show the answer, as they may where it is the server's own. */
  readonly isFramed?: boolean;
}

/** Begins a request to a box in the name of the user who asks. Rejects with NvrdError NOT_FOUND or NOT_AVAILABLE. */
export async function openBox(
  { needs, principal, request }: Pick<RequestContext<FleetNeeds>, "needs" | "principal" | "request">,
  { boxId }: BoxTarget,
  asked: Omit<BoxRequest, "user">,
): Promise<ClientHttp2Stream> {
  const user = hubUserOf(principal, request.address);
  const stream = await requireHub(needs).open(boxId, { ...asked, user });
  // Its head and its close report how it ends.
  stream.on("error", () => stream.destroy());
  return stream;
}

/** A request to a box through the hub, and its answer. */
export async function passRequest(
  context: RequestContext<FleetNeeds>,
  target: BoxTarget,
): Promise<EndpointResult> {
  const { request, response } = context;
  const headers: OutgoingHttpHeaders = { ":method": request.method, ":path": target.path };
  for (const name of PASSED_ON) {
    const value = request.header(name);
    if (value !== undefined) headers[name] = value;
  }
  const { body = request.body, isFramed = false } = target;
  const hasBody = body.length > 0;
  const role = MEDIA.test(target.path) ? "media" : "commands";
  const stream = await openBox(context, target, { headers, role, hasBody });
  response.onClose(() => stream.close());
  if (hasBody) stream.end(body);
  return await sendAnswer(context, stream, { ...(await headOf(stream)), isFramed });
}

async function sendAnswer(
  context: RequestContext<FleetNeeds>,
  stream: ClientHttp2Stream,
  { status, headers: all, isFramed }: AnswerHead & { readonly isFramed: boolean },
): Promise<EndpointResult> {
  const { request, response, needs, log } = context;
  const headers: Headers = [
    ...all.filter(([name]) => SENT_BACK.has(name)),
    ...NO_PAGE,
    ...(isFramed ? [] : SAME_ORIGIN),
  ];
  const length = all.find(([name]) => name === "content-length")?.[1];
  const totalBytes = length === undefined ? undefined : Number(length);
  const { clock } = needs;
  if (request.method === "HEAD") {
    response.sendHead({ status, headers, totalBytes: totalBytes ?? 0 });
    return STREAMED;
  }
  if (status !== 200 && status !== 206) return { status, headers, body: await bodyOf(stream) };
  if (totalBytes !== undefined && totalBytes <= WHOLE_BYTES_MAX)
    return { status, headers, body: await bodyOf(stream) };
  const end = { credentials: context.credentials, mayContinue: maySeeFleet, end: () => response.close() };
  response.onClose(needs.openStreams.add(end));
  try {
    if (totalBytes !== undefined)
      await sendSized(stream, response.startSized({ status, headers, totalBytes, clock }));
    else await sendEndless(stream, response.startStream(headers, { clock, log }));
  } catch {
    // The connection to the box has ended within the answer: the browser sees that it is not whole.
    response.close();
  }
  return STREAMED;
}

async function sendSized(stream: ClientHttp2Stream, sized: SizedResponse | undefined): Promise<void> {
  if (sized === undefined) return;
  for await (const chunk of stream as AsyncIterable<Buffer>) if (!(await sized.write(chunk))) return;
  await sized.flush();
  if (!sized.isWhole) sized.abort();
}

async function sendEndless(stream: ClientHttp2Stream, endless: StreamResponse | undefined): Promise<void> {
  if (endless === undefined) return;
  let wake: () => void = () => undefined;
  endless.onDrain = () => wake();
  endless.onClose(() => wake());
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (endless.closed) return;
    if (endless.send([chunk])) continue;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  endless.end();
}

/** As much of a short answer as there may be. Rejects with the connection's error. */
async function bodyOf(stream: ClientHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > WHOLE_BYTES_MAX) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
