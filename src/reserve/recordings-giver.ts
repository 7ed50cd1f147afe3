import * as v from "valibot";
import type { ArchiveAccess } from "../archive/index.js";
import { type Clock, NvrdError, STREAM_TYPES, type StreamKey } from "../base/index.js";
import { answerPartner, type PartnerCall, type Partners } from "../fleet/index.js";
import type { SiteStore } from "../site/index.js";
import { FrameSender } from "./frame-messages.js";
import { camerasOf } from "./reserved-site.js";

export const RECORDINGS_PATH = "/reserve/recordings";
export const FRAMES_PATH = "/reserve/frames";
/** Stretches that one answer names. */
export const STRETCHES_MAX = 1000;
/** Stretches that are sent at once. */
const SENDING_MAX = 4;

const time = v.pipe(v.string(), v.regex(/^\d{1,17}$/), v.transform(Number));
const spanQuery = v.object({ channel: v.pipe(v.string(), v.maxLength(64)), from: time, to: time });
const framesQuery = v.object({ ...spanQuery.entries, stream: v.picklist(STREAM_TYPES) });

export interface RecordingsGiverOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly partners: Pick<Partners, "serve">;
  readonly archive: Pick<ArchiveAccess, "read" | "fragments" | "indexFault">;
  readonly clock: Clock;
}

/** Gives an owner what was recorded of its cameras here. */
export class RecordingsGiver {
  readonly #options: RecordingsGiverOptions;
  #sending = 0;

  constructor(options: RecordingsGiverOptions) {
    this.#options = options;
  }

  start(): void {
    const { partners } = this.#options;
    partners.serve(RECORDINGS_PATH, async (call) => this.#answerStretches(call));
    partners.serve(FRAMES_PATH, (call) => this.#send(call));
  }

  /** From when to when there is something, and what time it is here. */
  #answerStretches(call: PartnerCall): void {
    const { archive, clock } = this.#options;
    const asked = this.#asked(call, spanQuery);
    if (asked === undefined) return;
    const { channel, from, to } = asked;
    if (this.#isUnknown(call, from)) return;
    const stretches = archive.fragments({ channelId: channel, streamTypes: STREAM_TYPES }, from, to);
    answerPartner(call.stream, 200, {
      NowUs: Math.round(clock.nowUs()),
      Stretches: stretches
        .slice(0, STRETCHES_MAX)
        .map(({ fromUs, toUs }) => ({ FromUs: Math.round(fromUs), ToUs: Math.round(toUs) })),
    });
  }

  async #send(call: PartnerCall): Promise<void> {
    const { stream } = call;
    const asked = this.#asked(call, framesQuery);
    if (asked === undefined) return;
    const { channel: channelId, stream: streamType, from, to } = asked;
    if (this.#isUnknown(call, from)) return;
    if (this.#sending >= SENDING_MAX) {
      answerPartner(stream, 503, { ErrorMessage: "too much is sent already" });
      return;
    }
    this.#sending += 1;
    try {
      await this.#sendFrames(stream, { channelId, streamType }, from, to);
    } finally {
      this.#sending -= 1;
    }
  }

  /** Answered: an owner that heard of nothing would ask for nothing. */
  #isUnknown({ stream }: PartnerCall, fromUs: number): boolean {
    const fault = this.#options.archive.indexFault(fromUs);
    if (fault !== undefined) answerPartner(stream, 503, { ErrorMessage: fault });
    return fault !== undefined;
  }

  /** What is asked, of a channel of who asks; undefined: it was refused. */
  #asked<T extends { readonly channel: string }>(
    call: PartnerCall,
    schema: v.GenericSchema<unknown, T>,
  ): T | undefined {
    const read = v.safeParse(schema, queryOf(call));
    const isOwn = read.success && this.#isOf(call, read.output.channel);
    if (isOwn) return read.output;
    answerPartner(call.stream, read.success ? 404 : 400, {
      ErrorMessage: read.success
        ? "it is no channel of yours"
        : "a channel, a stream, from and to are needed",
    });
    return undefined;
  }

  async #sendFrames(
    stream: PartnerCall["stream"],
    key: StreamKey,
    fromUs: number,
    toUs: number,
  ): Promise<void> {
    const reader = this.#options.archive.read(key, { fromUs, endsAtEdge: true });
    const sender = new FrameSender();
    stream.once("close", () => reader.close());
    stream.respond({ ":status": 200, "content-type": "application/octet-stream" });
    try {
      for (;;) {
        const frames = await reader.next();
        if (frames.length === 0 || stream.destroyed) break;
        let isOver = false;
        for (const frame of frames) {
          const { format, decodeTimeUs } = frame;
          if (decodeTimeUs >= toUs) isOver = true;
          else if (format !== undefined) stream.write(sender.message({ ...frame, format }));
        }
        if (isOver) break;
        await drained(stream);
      }
      stream.end();
    } finally {
      reader.close();
    }
  }

  #isOf({ partnerId }: PartnerCall, channelId: string): boolean {
    return camerasOf(this.#options.site.current, partnerId).some(({ id }) => id === channelId);
  }
}

async function drained(stream: PartnerCall["stream"]): Promise<void> {
  if (!stream.writableNeedDrain) return;
  await new Promise<void>((resolve, reject) => {
    const closed = (): void =>
      reject(new NvrdError("NOT_AVAILABLE", "the owner takes no more", { hint: "" }));
    stream.once("close", closed);
    stream.once("drain", () => {
      stream.off("close", closed);
      resolve();
    });
  });
}

function queryOf({ path }: PartnerCall): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(path.split("?")[1] ?? ""));
}
