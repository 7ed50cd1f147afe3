import type { ClientHttp2Stream } from "node:http2";
import { pipeline } from "node:stream";
import * as v from "valibot";
import { type Clock, errorText, type Guid, MS_PER_SECOND, NvrdError } from "../../base/index.js";
import { UPDATE_PHASES } from "../../contract/answer/index.js";
import { type WholeAnswer, wholeAnswer } from "../hub/box-link.js";
import type { BoxRequest } from "../hub/hub.js";
import type { HubUser } from "../link/identity.js";

const UPDATE = "/api/update";
const ANSWER_BYTES_MAX = 65_536;
const ASK_MS_MAX = 30_000;
/** A box takes an hour for a bundle at most, and checks it then. */
const SEND_MS_MAX = 75 * 60 * MS_PER_SECOND;
const REASON_LENGTH_MAX = 300;

const text = v.pipe(
  v.string(),
  v.transform((said) => said.slice(0, REASON_LENGTH_MAX)),
);
const stateSchema = v.object({
  Supported: v.boolean(),
  RunningVersion: text,
  Phase: v.picklist(UPDATE_PHASES),
  Message: text,
  Version: v.nullable(text),
});
/** What a box says of its update. */
export type BoxUpdateState = v.InferOutput<typeof stateSchema>;

/** A box has refused what was asked. */
export class UpdateRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface BoxUpdateOptions {
  readonly open: (id: Guid, request: BoxRequest) => Promise<ClientHttp2Stream>;
  readonly user: HubUser;
  readonly clock: Clock;
}

/** Asks how the update of a box does. Rejects with UpdateRefusal, or NvrdError NOT_AVAILABLE where it does not answer. */
export async function readBoxUpdate(
  id: Guid,
  { open, user, clock }: BoxUpdateOptions,
): Promise<BoxUpdateState> {
  const headers = { ":method": "GET", ":path": UPDATE };
  const stream = await open(id, { user, headers, role: "commands", hasBody: false });
  stream.on("error", () => stream.destroy());
  return stateOf(await wholeAnswer(stream, { bytesMax: ANSWER_BYTES_MAX, ms: ASK_MS_MAX, clock }));
}

/** A bundle to be sent. */
export interface BundleToSend {
  readonly bytes: number;
  /** Closed when it was read, or its reader has ended. */
  readonly chunks: () => Promise<NodeJS.ReadableStream>;
}

/** Sends a bundle; resolves when the box has checked it. Rejects as `readBoxUpdate` does. */
export async function sendBundle(
  id: Guid,
  { bytes, chunks }: BundleToSend,
  { open, user, clock, onBytes }: BoxUpdateOptions & { readonly onBytes: (bytes: number) => void },
): Promise<BoxUpdateState> {
  const headers = {
    ...{ ":method": "POST", ":path": UPDATE },
    ...{ "content-type": "application/octet-stream", "content-length": `${bytes}` },
  };
  const stream = await open(id, { user, headers, role: "media", hasBody: true });
  stream.on("error", () => stream.destroy());
  const file = await chunks().catch((error: unknown) => {
    stream.destroy();
    throw error;
  });
  let fault: unknown;
  let sent = 0;
  file.on("data", (chunk: Buffer | string) => {
    sent += chunk.length;
    onBytes(sent);
  });
  pipeline(file, stream, (error) => {
    fault = error;
  });
  try {
    return stateOf(await wholeAnswer(stream, { bytesMax: ANSWER_BYTES_MAX, ms: SEND_MS_MAX, clock }));
  } catch (error) {
    if (error instanceof UpdateRefusal || fault === undefined) throw error;
    throw new NvrdError("NOT_AVAILABLE", `the bundle did not arrive: ${errorText(fault)}`, { cause: error });
  }
}

function stateOf({ status, body }: WholeAnswer): BoxUpdateState {
  const said = jsonOf(body.toString("utf8"));
  if (status !== 200) throw new UpdateRefusal(status, messageOf(said) ?? `it answers with status ${status}`);
  const read = v.safeParse(stateSchema, said);
  if (read.success) return read.output;
  throw new NvrdError("NOT_AVAILABLE", "it says nothing of its update that can be read");
}

function jsonOf(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    // What is no JSON says nothing.
    return undefined;
  }
}

function messageOf(said: unknown): string | undefined {
  const read = v.safeParse(v.object({ ErrorMessage: text }), said);
  return read.success ? read.output.ErrorMessage : undefined;
}
