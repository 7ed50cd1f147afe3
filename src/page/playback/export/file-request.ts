import { addressOf } from "../../state/address.js";
import { RequestError, request, requestJson } from "../../state/request.js";
import type { Span } from "../timeline/span.js";

/** What a file is made of. */
export interface FileOrder {
  readonly channel: string;
  readonly span: Span;
  readonly sound: boolean;
  /** Counted from 1, where the format of the pictures changes. */
  readonly part?: number;
}

/** What the service says of a file before it is made. */
export interface FilePlan {
  readonly order: FileOrder;
  readonly name: string;
  readonly bytes: number;
  /** Of its pictures and sound: `H.265, G.711 A-law`. */
  readonly codecs: string;
}

/** As `GET /exportarchive?digest=true` answers. */
export interface FileDigest {
  readonly Sha256: string;
  readonly Bytes: number;
}

export function addressOfFile({ channel, span, sound, part }: FileOrder): string {
  return addressOf("/exportarchive", {
    channelid: channel,
    fromtime: parameterTime(span.from),
    totime: parameterTime(span.to),
    sound: sound ? "on" : "off",
    part,
  });
}

/** `dd.MM.yyyy HH:mm:ss.fff`, UTC, as parameters have it. */
export function parameterTime(moment: number): string {
  const [date = "", time = ""] = new Date(Math.floor(moment)).toISOString().replace("Z", "").split("T");
  return `${date.split("-").reverse().join(".")} ${time}`;
}

/** The files that an order makes: one for each run of one format. None where nothing is recorded. */
export async function planFiles(order: FileOrder, abort: AbortSignal): Promise<readonly FilePlan[]> {
  try {
    const { plan, parts } = await planFile(order, abort);
    if (parts < 2) return [plan];
    const plans: FilePlan[] = [];
    // One after the other: each takes one of the user's few places while the recorder plans it.
    for (let part = 1; part <= parts; part += 1) plans.push((await planFile({ ...order, part }, abort)).plan);
    return plans;
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return [];
    throw error;
  }
}

async function planFile(order: FileOrder, abort: AbortSignal): Promise<{ plan: FilePlan; parts: number }> {
  const address = addressOfFile(order);
  const { headers } = await request(address, { method: "HEAD", signal: abort }).catch((error: unknown) =>
    inWords(error, address, abort),
  );
  return {
    plan: {
      order,
      name: nameIn(headers.get("Content-Disposition")) ?? "recording.mp4",
      bytes: Number(headers.get("Content-Length") ?? 0),
      codecs: headers.get("X-Export-Codecs") ?? "",
    },
    parts: Number(headers.get("X-Export-Parts") ?? 1),
  };
}

/** What refuses HEAD has no words: GET is refused with them. */
async function inWords(error: unknown, address: string, abort: AbortSignal): Promise<never> {
  if (error instanceof RequestError && error.status === 403)
    await (await request(address, { signal: abort })).body?.cancel();
  throw error;
}

/** The file name that a `Content-Disposition` offers. */
export function nameIn(disposition: string | null): string | undefined {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? "")?.[1];
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded);
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
    }
  }
  return /filename="([^"]+)"/i.exec(disposition ?? "")?.[1];
}

/** The service reads the file once for it, which takes as long as that takes. */
export async function readDigest(order: FileOrder, abort: AbortSignal): Promise<FileDigest> {
  return requestJson<FileDigest>(`${addressOfFile(order)}&digest=true`, {
    signal: abort,
    answerMs: Number.POSITIVE_INFINITY,
  });
}

/** Where the bytes of a file go. */
export interface FileSink {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}

/** Fetches a file piece by piece. Rejects when it ends before its length. */
export async function fetchFile(
  { order, bytes }: FilePlan,
  sink: FileSink,
  onBytes: (done: number) => void,
  abort: AbortSignal,
): Promise<void> {
  const response = await request(addressOfFile(order), {
    signal: abort,
    answerMs: Number.POSITIVE_INFINITY,
  });
  const reader = response.body?.getReader();
  if (reader === undefined) throw new RequestError(0, "no answer");
  let done = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    await sink.write(piece.value);
    done += piece.value.length;
    onBytes(done);
  }
  if (done < bytes) throw new RequestError(0, "the file ends too early");
}
