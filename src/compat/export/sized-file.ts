import type { Clock } from "../../base/index.js";
import {
  type ByteRange,
  type Headers,
  namesEtag,
  readByteRange,
  type SizedResponse,
} from "../../http/index.js";
import { type EndpointResult, type NamedContext, STREAMED } from "../../route/index.js";

/** A file whose length is known before any of it is read. */
interface SizedFile {
  readonly headers: Headers;
  /** Strong: another one where any byte is another. */
  readonly etag: string;
  readonly byteLength: number;
}

interface SizedFileSender {
  /** Some of it is to be sent. */
  onBegin(): void;
  /** Begins to send a range. */
  send(range: ByteRange, sized: SizedResponse): void;
}

/** Answers a file, a range of it, its head, or why not (RFC 9110, 13 and 14). */
export function answerSizedFile<Needs extends { readonly clock: Clock }>(
  { request, response, needs }: NamedContext<Needs>,
  { headers, etag, byteLength }: SizedFile,
  { onBegin, send }: SizedFileSender,
): EndpointResult {
  if (
    request.header("if-match") !== undefined &&
    !namesEtag(request.header("if-match"), etag, { weak: false })
  )
    return { status: 412, headers, body: new Uint8Array(0) };
  if (namesEtag(request.header("if-none-match"), etag, { weak: true }))
    return { status: 304, headers, body: new Uint8Array(0) };
  if (request.method === "HEAD") {
    response.sendHead({ status: 200, headers, totalBytes: byteLength });
    return STREAMED;
  }
  const wanted = { range: request.header("range"), ifRange: request.header("if-range") };
  const range = readByteRange(wanted, { bytes: byteLength, etag });
  if (range === "unsatisfiable") {
    const body = Buffer.from(`the file has ${byteLength} bytes\r\n`);
    return {
      status: 416,
      headers: [
        ["Content-Range", `bytes */${byteLength}`],
        ["ETag", etag],
      ],
      body,
    };
  }
  const { from, to } = range ?? { from: 0, to: byteLength };
  const part: Headers =
    range === undefined ? [] : [["Content-Range", `bytes ${from}-${to - 1}/${byteLength}`]];
  const status = range === undefined ? 200 : 206;
  onBegin();
  const sized = response.startSized({
    status,
    headers: [...headers, ...part],
    totalBytes: to - from,
    clock: needs.clock,
  });
  if (sized !== undefined) send({ from, to }, sized);
  return STREAMED;
}

/** Sends pieces as the client takes them; ends when it has left. */
export async function pump(bytes: AsyncIterable<readonly Uint8Array[]>, sized: SizedResponse): Promise<void> {
  let isFirst = true;
  for await (const pieces of bytes) {
    for (const piece of pieces) if (!(await sized.write(piece))) return;
    // The movie's header is there before anything of the recording is read: the client need not wait for that.
    if (isFirst && !(await sized.flush())) return;
    isFirst = false;
  }
  await sized.flush();
}
