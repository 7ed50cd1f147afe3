import { NvrdError, type StreamKey, US_PER_SECOND } from "../../base/index.js";
import { archiveMaterial } from "../../compat/index.js";
import { FINDING_ID_PATTERN, findingPictureQuery } from "../../contract/query/index.js";
import type { FindingBox } from "../../finding/index.js";
import type { Rotation } from "../../picture/index.js";
import { INDEX_IS_OPENING, RECORDED_HINT, requireIndex } from "../../player/index.js";
import {
  describeQuery,
  type RequestContext,
  type Route,
  type RouteRight,
  readQuery,
  STREAMED,
  untilGone,
} from "../../route/index.js";
import type { Camera } from "../../site/index.js";
import { visibleStreams } from "../timeline/index.js";
import { askedFinding } from "./finding-object.js";
import type { AnalysisNeeds } from "./object-trials.js";

/** How far the recording may be from the moment: a camera's message comes a moment before, or after, what is recorded on it. */
const NEAR_US_MAX = 3 * US_PER_SECOND;
/** A finding does not change once it is over. */
const KEPT_SECONDS = 86_400;
/** What is left around the thing, as a part of its sides. */
const MARGIN = 0.25;
/** The picture that something is cut out of: as large as it is needed, no larger than this. */
const SOURCE_SIDE_MAX = 3840;

const RIGHTS: readonly RouteRight[] = [
  { right: "CanReceiveMainStream", when: "only the main stream is recorded" },
];

export const FINDING_PICTURE_ROUTE: Route<AnalysisNeeds> = {
  method: "GET",
  path: "/api/findings/{id}/picture",
  login: "user",
  rights: RIGHTS,

  describe: {
    topic: "analysis",
    summary: "Returns the best picture of a finding",
    access: "The channel must be one whose archive the user may see.",
    text: [
      "Made from the recording of the moment at which it was seen best, and cut to where it was, with a margin; the whole picture where nobody said where. Nothing is kept beside the recording: where nothing was recorded then, there is no picture.",
    ],
    parameters: describeQuery(findingPictureQuery),
    pathValues: { id: "`Id` of [`/api/findings`](#get-apifindings)." },
    pathSchemas: { id: { type: "string", pattern: FINDING_ID_PATTERN } },
    answer: { text: "The JPEG (JFIF).", content: { "image/jpeg": { type: "string", format: "binary" } } },
    errors: {
      404: "There is no such finding, or nothing was recorded at that moment.",
      503: `The picture cannot be made, as for \`/site\`. ${INDEX_IS_OPENING}`,
    },
    example: [
      "# Where nothing with this id was seen: 404.",
      'curl -fu "$AUTH" "$NVRD/api/findings/$CHANNEL-1795251600000000/picture?size=640" --output finding.jpg',
    ],
  },
  /** GET /api/findings/{id}/picture */
  async endpoint(context) {
    const { request, response } = context;
    const { size, whole } = readQuery(request.query, findingPictureQuery);
    const { finding, camera } = await askedFinding(context);
    const atUs = finding.best?.timeUs ?? finding.beginUs;
    const part = whole ? undefined : withMargin(finding.best?.box);
    let jpeg: Uint8Array;
    try {
      jpeg = await makePicture(context, camera, { atUs, part, size });
    } catch (error) {
      if (!response.finished) throw error;
      return STREAMED;
    }
    const isKept = !finding.isLasting;
    return {
      status: 200,
      headers: [
        ["Content-Type", "image/jpeg"],
        ["Cache-Control", isKept ? `private, max-age=${KEPT_SECONDS}` : "private, no-cache"],
        ["Vary", "Authorization, Cookie"],
      ],
      body: jpeg,
    };
  },
};

interface WantedPart {
  readonly atUs: number;
  readonly part: FindingBox | undefined;
  readonly size: number;
}

async function makePicture(
  context: RequestContext<AnalysisNeeds>,
  camera: Camera,
  { atUs, part, size }: WantedPart,
): Promise<Uint8Array> {
  const { needs } = context;
  const { key, rotation } = recordedStream(context, camera, atUs, part !== undefined);
  const { archive, stills } = needs;
  const side = part === undefined ? size : Math.min(SOURCE_SIDE_MAX, Math.ceil(size / part.width));
  const source = {
    key: `finding ${key.channelId}/${key.streamType}@${atUs}/${rotation}`,
    open: (signal: AbortSignal) => archiveMaterial({ archive, key, rotation, atUs }, signal),
  };
  const share = stills.make(source, { width: side });
  untilGone(context).addEventListener("abort", () => share.cancel(), { once: true });
  const still = await share.still;
  return part === undefined ? still.jpeg : (await stills.cut(still.jpeg, part, size)).jpeg;
}

/**
 * The stream that shows it: where something is cut out, the largest; else the smallest. Throws NvrdError NOT_FOUND without a
 * recording, and NOT_AVAILABLE while it is not known whether there is one.
 */
function recordedStream(
  { needs: { archive }, principal }: RequestContext<AnalysisNeeds>,
  { id: channelId, ...camera }: Camera,
  atUs: number,
  isCut: boolean,
): { readonly key: StreamKey; readonly rotation: Rotation } {
  const streams = visibleStreams(principal, { id: channelId, ...camera });
  for (const { streamType, rotation } of isCut ? [...streams].reverse() : streams) {
    const key = { channelId, streamType };
    const nearUs = archive.nearestFrameUs(key, atUs);
    if (nearUs === undefined) continue;
    if (archive.hasArchiveAt(key, atUs) || Math.abs(nearUs - atUs) <= NEAR_US_MAX) return { key, rotation };
  }
  requireIndex(archive, atUs - NEAR_US_MAX);
  throw new NvrdError("NOT_FOUND", `nothing was recorded of channel ${camera.name} when it was seen`, {
    hint: RECORDED_HINT,
  });
}

function withMargin(box: FindingBox | undefined): FindingBox | undefined {
  if (box === undefined) return undefined;
  const [x, y] = [box.width * MARGIN, box.height * MARGIN];
  const [left, top] = [Math.max(0, box.left - x), Math.max(0, box.top - y)];
  return {
    left,
    top,
    width: Math.min(1, box.left + box.width + x) - left,
    height: Math.min(1, box.top + box.height + y) - top,
  };
}
