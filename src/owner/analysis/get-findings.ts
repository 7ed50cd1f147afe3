import type { Principal } from "../../access/index.js";
import { type Guid, NvrdError, type SeenKind } from "../../base/index.js";
import { type Findings, findings } from "../../contract/answer/index.js";
import { type Asked, findingsQuery } from "../../contract/query/index.js";
import {
  type FindingBox,
  type FindingQuery,
  type FindingSource,
  readFindingId,
} from "../../finding/index.js";
import {
  answerJson,
  describeQuery,
  type JsonSchema,
  jsonAnswer,
  type RequestContext,
  type Route,
  readQuery,
  requireArchiveRight,
  requireChannel,
  STREAMED,
  schemaOf,
  untilGone,
} from "../../route/index.js";
import type { Camera } from "../../site/index.js";
import { findingObject, searchedCameras } from "./finding-object.js";
import type { AnalysisNeeds } from "./object-trials.js";

type AskedFindings = Asked<typeof findingsQuery>;

const SIDES = ["left", "top", "width", "height"] as const;
/** All four sides, or none. */
const WHOLE_REGION: JsonSchema = {
  anyOf: [{ required: SIDES }, { not: { anyOf: SIDES.map((name) => ({ required: [name] })) } }],
};

export const FINDINGS_ROUTE: Route<AnalysisNeeds> = {
  method: "GET",
  path: "/api/findings",
  login: "user",

  describe: {
    topic: "analysis",
    summary: "Searches for what was seen: motion, persons, vehicles, rings, crossed lines and more",
    access: "Only channels whose archive the user may see are searched.",
    text: [
      "The newest first, whoever saw it: the cameras, motion detection, the recorder's detector of objects, [analysers](analysers.md), programs by [`POST /api/events`](#post-apievents). Findings are kept with the recordings, and leave with them.",
      "",
      "Conditions that are given all have to fit. A page goes on with `before`; `Next` is null at the end.",
    ],
    parameters: describeQuery(findingsQuery),
    together: [WHOLE_REGION],
    answer: jsonAnswer(schemaOf(findings), "A page of findings."),
    errors: {
      404: "There is no such channel.",
      409: "`starttime` is later than `endtime`.",
    },
    example: [
      'curl -fu "$AUTH" "$NVRD/api/findings?kinds=person,vehicle&starttime=$FROM&text=gate"',
      'curl -fu "$AUTH" "$NVRD/api/findings?left=0.5&top=0&width=0.5&height=1&minsize=0.01"',
    ],
  },
  /** GET /api/findings */
  async endpoint(context) {
    try {
      return answerJson<Findings>(await findingsFor(context));
    } catch (error) {
      // The client has disconnected.
      if (!context.response.finished) throw error;
      return STREAMED;
    }
  },
};

async function findingsFor(context: RequestContext<AnalysisNeeds>): Promise<Findings> {
  const { needs, request, principal } = context;
  const asked = readQuery(request.query, findingsQuery);
  const cameras =
    asked.channelids === undefined
      ? searchedCameras(needs, principal)
      : askedCameras(asked.channelids, needs, principal);
  const names = new Map(cameras.map(({ id, name }) => [id, name]));
  const { id: userId } = principal.user;
  const { seen } = needs;
  const page = await needs.findings.search({
    ...findingQuery(asked, needs.clock.nowUs()),
    channels: names,
    signal: untilGone(context),
    ...(asked.unseen ? { isWanted: (finding) => !seen.isSeen(userId, finding) } : {}),
  });
  return {
    Findings: page.findings.map((finding) =>
      findingObject(finding, names.get(finding.channelId) ?? "", seen.isSeen(userId, finding)),
    ),
    Next: page.hasMore ? (page.findings.at(-1)?.id ?? null) : null,
    IsComplete: needs.findings.state().unread === 0,
  };
}

function askedCameras(ids: readonly Guid[], needs: AnalysisNeeds, principal: Principal): readonly Camera[] {
  const cameras = [...new Set(ids)].map((id) => requireChannel(id, needs.site.current, principal));
  for (const camera of cameras) requireArchiveRight(principal, camera);
  return cameras;
}

function findingQuery(asked: AskedFindings, nowUs: number): Omit<FindingQuery, "channels"> {
  const fromUs = asked.starttime ?? 0;
  // What begins in the future is searched like any other time, and holds nothing.
  const toUs = asked.endtime ?? Math.max(nowUs, fromUs);
  if (fromUs > toUs) throw new NvrdError("CONFLICT", "starttime is later than endtime", { hint: "" });
  return {
    ...{ fromUs, toUs, limit: asked.limit, sizeMin: asked.minsize, scoreMin: asked.minscore },
    // The pattern of the parameters has accepted the names.
    kinds: listed(asked.kinds) as readonly SeenKind[],
    sources: listed(asked.sources) as readonly FindingSource[],
    labels: listed(asked.labels),
    zones: listed(asked.zones),
    lines: listed(asked.lines),
    direction: asked.direction,
    text: asked.text ?? "",
    plate: asked.number?.replace(/\s/gu, "") ?? "",
    name: asked.name?.trim() ?? "",
    region: regionOf(asked),
    before: asked.before === undefined ? undefined : readFindingId(asked.before),
  };
}

function listed(text = ""): readonly string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

function regionOf({ left, top, width, height }: AskedFindings): FindingBox | undefined {
  if (left === undefined && top === undefined && width === undefined && height === undefined)
    return undefined;
  if (left === undefined || top === undefined || width === undefined || height === undefined)
    throw new NvrdError("BAD_REQUEST", "give all of left, top, width and height, or none");
  return { left, top, width, height };
}
