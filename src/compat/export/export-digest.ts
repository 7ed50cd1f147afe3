import { createHash } from "node:crypto";
import { errorText, formatIsoTime } from "../../base/index.js";
import type { Headers, StreamResponse } from "../../http/index.js";
import {
  type EndpointResult,
  FLAG,
  GUID,
  ISO_TIME,
  listOf,
  meaning,
  NUMBER,
  named,
  objectOf,
  type RequestContext,
  STREAMED,
  TEXT,
  untilGone,
  WHOLE,
} from "../../route/index.js";
import type { ExportPlan } from "./export-plan.js";
import type { ExportNeeds } from "./exports.js";

/** While the file is read, a blank is sent at this interval, so that the connection is not considered dead. */
const SIGN_OF_LIFE_MS = 2000;
/** Stretches that are listed. */
const STRETCHES_LISTED_MAX = 1000;
const BLANK = Buffer.from(" ");

/** What `digest=true` answers. */
export const DIGEST = named(
  "ExportDigest",
  objectOf({
    Sha256: meaning("Of exactly the file returned for the same parameters.", TEXT),
    Bytes: WHOLE,
    ETag: TEXT,
    ChannelId: GUID,
    ChannelName: TEXT,
    StreamType: meaning(
      "The stream, or the streams that follow one another in the file: `Main, Alternative`.",
      TEXT,
    ),
    Sound: FLAG,
    PartsCount: meaning("How many runs with one video codec each the time has.", WHOLE),
    FromTime: ISO_TIME,
    ToTime: ISO_TIME,
    DurationSeconds: NUMBER,
    Stretches: meaning(
      `Each run without a gap; at most ${STRETCHES_LISTED_MAX} of them.`,
      listOf(
        objectOf({
          FromTime: ISO_TIME,
          ToTime: ISO_TIME,
          MovieSeconds: meaning("Its position in the file.", NUMBER),
        }),
      ),
    ),
    StretchesCount: WHOLE,
    ServerId: GUID,
    ServerName: TEXT,
    ConfigurationId: GUID,
    ServerVersion: TEXT,
    ComputedTime: ISO_TIME,
  }),
);

const HEADERS: Headers = [
  ["Content-Type", "application/json"],
  ["Cache-Control", "no-store"],
];

/**
 * The SHA-256 of an export, and its contents, as JSON. The file is read once for it, which takes as long as the disks need;
 * meanwhile blanks are sent before the object, as JSON allows. The result is cached.
 */
export async function answerDigest(
  context: RequestContext<ExportNeeds>,
  plan: ExportPlan,
  { free, watch }: { readonly free: () => void; readonly watch: () => void },
): Promise<EndpointResult> {
  const { needs, request, response, log } = context;
  const known = needs.exports.digest(plan);
  if (known !== undefined || request.method === "HEAD") {
    free();
    const body = known === undefined ? new Uint8Array(0) : Buffer.from(describe(context, plan, known));
    return { status: 200, headers: HEADERS, body };
  }
  watch();
  const stream = response.startStream(HEADERS, { clock: needs.clock, log });
  if (stream === undefined) return STREAMED;
  const timer = needs.clock.setInterval(() => {
    if (!stream.busy && !stream.closed) stream.send([BLANK]);
  }, SIGN_OF_LIFE_MS);
  compute(context, plan, stream)
    .catch((error: unknown) => {
      if (stream.closed) return;
      log.warn({ reason: errorText(error) }, "digest of an export aborted");
      // Closed, so that the client detects the incomplete JSON.
      response.close();
    })
    .finally(() => timer.clear());
  return STREAMED;
}

async function compute(
  context: RequestContext<ExportNeeds>,
  plan: ExportPlan,
  stream: StreamResponse,
): Promise<void> {
  const { exports } = context.needs;
  const hash = createHash("sha256");
  const bytes = exports.bytes(plan, untilGone(context));
  for await (const pieces of bytes.read({ from: 0, to: plan.layout.byteLength })) {
    if (stream.closed) return;
    for (const piece of pieces) hash.update(piece);
  }
  const digest = hash.digest("hex");
  exports.keepDigest(plan, digest);
  await drained(stream);
  if (stream.closed || stream.send([Buffer.from(describe(context, plan, digest))])) stream.end();
  else await drained(stream).then(() => stream.end());
}

/** Resolves when the client has taken the data, or disconnected. */
function drained(stream: StreamResponse): Promise<void> {
  if (!stream.busy) return Promise.resolve();
  return new Promise((resolve) => {
    stream.onDrain = resolve;
    stream.onClose(resolve);
  });
}

function describe({ needs }: RequestContext<ExportNeeds>, plan: ExportPlan, digest: string): string {
  const { request, streamTypes, partsCount, layout, etag, stretches, durationUs } = plan;
  const { server, id } = needs.site.current;
  return `${JSON.stringify({
    Sha256: digest,
    Bytes: layout.byteLength,
    ETag: etag,
    ChannelId: request.of.channelId,
    ChannelName: request.channelName,
    StreamType: streamTypes.join(", "),
    Sound: request.sound,
    PartsCount: partsCount,
    FromTime: formatIsoTime(request.fromUs),
    ToTime: formatIsoTime(request.toUs),
    DurationSeconds: durationUs / 1_000_000,
    Stretches: stretches.slice(0, STRETCHES_LISTED_MAX).map(({ fromUs, toUs, movieUs }) => ({
      FromTime: formatIsoTime(fromUs),
      ToTime: formatIsoTime(toUs),
      MovieSeconds: movieUs / 1_000_000,
    })),
    StretchesCount: stretches.length,
    ServerId: server.id,
    ServerName: server.name,
    ConfigurationId: id,
    ServerVersion: needs.version,
    ComputedTime: formatIsoTime(needs.clock.nowUs()),
  })}\n`;
}
