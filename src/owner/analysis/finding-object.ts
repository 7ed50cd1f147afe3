import type { Principal } from "../../access/index.js";
import { formatIsoTime, NvrdError } from "../../base/index.js";
import type { Finding as FindingObject, WholeFinding } from "../../contract/answer/index.js";
import { type Finding, findingSize, readFindingId } from "../../finding/index.js";
import { shown } from "../../http/index.js";
import { visibleCameras } from "../../player/index.js";
import { type RequestContext, requireArchiveRight } from "../../route/index.js";
import type { Camera } from "../../site/index.js";
import type { AnalysisNeeds } from "./object-trials.js";
import { boxObject } from "./prediction-object.js";

/** The cameras whose findings the user sees: those whose recordings it may watch. */
export function searchedCameras(needs: AnalysisNeeds, principal: Principal): readonly Camera[] {
  return visibleCameras(needs.site.current, principal).filter(({ id }) => principal.mayWatchArchive(id));
}

/** The finding of the path, and its camera. Throws NvrdError NOT_FOUND where the user sees none. */
export async function askedFinding({
  needs,
  principal,
  pathValues,
}: RequestContext<AnalysisNeeds>): Promise<{ readonly finding: Finding; readonly camera: Camera }> {
  const id = pathValues.get("id") ?? "";
  const channelId = readFindingId(id)?.channelId;
  const camera = visibleCameras(needs.site.current, principal).find(
    (candidate) => candidate.id === channelId,
  );
  if (camera !== undefined) requireArchiveRight(principal, camera);
  const finding = camera === undefined ? undefined : await needs.findings.get(id);
  if (camera === undefined || finding === undefined)
    throw new NvrdError("NOT_FOUND", `there is no finding ${shown(id)}`, {
      hint: "findings leave with the recordings of their camera",
    });
  return { finding, camera };
}

export function findingObject(finding: Finding, channelName: string, isSeen: boolean): FindingObject {
  const { kind, text, best, line } = finding;
  const isFace = kind === "face";
  return {
    Id: finding.id,
    ChannelId: finding.channelId,
    ChannelName: channelName,
    Kind: kind,
    Label: finding.label,
    Source: finding.source,
    SourceName: finding.sourceName,
    Begin: formatIsoTime(finding.beginUs),
    End: finding.isLasting ? null : formatIsoTime(finding.seenUs),
    Score: finding.score ?? null,
    Strength: finding.strength ?? null,
    Size: findingSize(finding) ?? null,
    Zones: finding.zones,
    Line: line === "" ? null : line,
    Direction: finding.direction ?? null,
    Number: text === "" || isFace ? null : text,
    Name: text !== "" && isFace ? text : null,
    Best:
      best === undefined
        ? null
        : { Time: formatIsoTime(best.timeUs), Box: best.box === undefined ? null : boxObject(best.box) },
    Seen: isSeen,
  };
}

export function wholeFindingObject(finding: Finding, channelName: string, isSeen: boolean): WholeFinding {
  return {
    ...findingObject(finding, channelName, isSeen),
    Path: finding.path.map(({ timeUs, box }) => ({ Time: formatIsoTime(timeUs), Box: boxObject(box) })),
  };
}
