import { type Guid, NvrdError } from "../../base/index.js";
import { removalQuery } from "../../contract/query/index.js";
import { INDEX_IS_OPENING, requireIndex } from "../../player/index.js";
import {
  answerConfiguration,
  CHANGE_PARAMETERS,
  changedIds,
  channelNameOf,
  describeQuery,
  type EndpointResult,
  editConfiguration,
  OTHER_REVISION,
  type RequestContext,
  type Route,
  raiseArchiveAct,
  readParameter,
} from "../../route/index.js";
import { withoutCameras } from "../../site/index.js";
import type { CameraNeeds } from "./camera-parts.js";
import { CHANNEL_PATH_VALUES, channelIdOfPath, NO_CHANNEL } from "./channel-path.js";

export const DELETE_CHANNEL_ROUTE: Route<CameraNeeds> = {
  method: "DELETE",
  path: "/configure/channels/{id}",
  login: "administration",
  endpoint: deleteChannel,
  describe: {
    topic: "channel",
    summary: "Removes a camera from the configuration",
    text: [
      "The camera is removed from its security object and every group's list. Its recording ends with a closed segment. Its recordings stay until retention deletes them. With `archive=delete` they are deleted now, in the background, also across a restart. This also works later, for a channel that is no longer configured. Recordings [off the box](../guide/away.md) stay there for as long as the target keeps them; this recorder does not show them any more.",
    ],
    pathValues: CHANNEL_PATH_VALUES,
    parameters: [...describeQuery(removalQuery), ...CHANGE_PARAMETERS],
    answer: changedIds("DeletedObjectsIds"),
    errors: { 404: NO_CHANNEL, 409: OTHER_REVISION, 503: INDEX_IS_OPENING },
    example: [
      'curl -fu "$AUTH" -X DELETE "$NVRD/configure/channels/$GATE"',
      "# Where nothing of it was recorded: 404.",
      'curl -fu "$AUTH" -X DELETE "$NVRD/configure/channels/$GATE?archive=delete"',
    ],
  },
};

/**
 * DELETE /configure/channels/{id}: removes a camera from the configuration. Its recordings stay until retention deletes them,
 * or are deleted now (`archive=delete`), also those of a camera removed before; not while some are protected.
 */
async function deleteChannel(context: RequestContext<CameraNeeds>): Promise<EndpointResult> {
  const { archive, protection } = context.needs;
  const id = channelIdOfPath(context);
  const withArchive = readParameter(context.request.query, removalQuery, "archive") === "delete";
  if (withArchive) requireUnprotected(protection, id);
  const channelName = channelNameOf(context, id);
  const applied = await editConfiguration(context, (site) => {
    const camera = site.cameras.find((each) => each.id === id);
    if (camera !== undefined && camera.ownerServerId !== site.server.id) throw ofAnother(id);
    if (camera !== undefined) return withoutCameras(site, [id]);
    if (withArchive && archive.hasChannel(id)) return site;
    if (withArchive) requireIndex(archive);
    throw new NvrdError("NOT_FOUND", `there is no channel ${id}`);
  });
  if (withArchive) {
    await archive.deleteChannel(id);
    context.log.info({ user: context.principal.user.name, channel: id }, "deleting a channel's recordings");
    raiseArchiveAct(context, "archiveDeleted", { channelId: id, channelName, comment: "" });
  }
  return answerConfiguration({ DeletedObjectsIds: [id] }, applied);
}

function ofAnother(id: Guid): NvrdError {
  return new NvrdError("CONFLICT", `channel ${id} is of another recorder, which this one stands in for`, {
    hint: "there, give the camera another ReservedServerId, or none",
  });
}

function requireUnprotected(protection: CameraNeeds["protection"], id: Guid): void {
  if (protection.has(id))
    throw new NvrdError("IN_USE", `recordings of channel ${id} are protected: they cannot be deleted`);
  if (protection.lack !== undefined)
    throw new NvrdError("IN_USE", "it is not known which recordings are protected: none can be deleted", {
      hint: "see protection-unknown in GET /api/health",
    });
}
