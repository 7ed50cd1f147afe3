import { NvrdError } from "../../base/index.js";
import { withoutCameras } from "../../site/index.js";
import {
  answerConfiguration,
  channelNameOf,
  type EndpointResult,
  editConfiguration,
  type RequestContext,
  raiseArchiveAct,
} from "../route/index.js";
import { channelIdOfPath } from "./configure-channels.js";
import type { CameraNeeds } from "./needs.js";

/**
 * DELETE /configure/channels/{id}: takes a camera out of the configuration. Its recordings stay until retention takes
 * them, or go now (`archive=delete`), also those of a camera that was taken out before; not while some are protected.
 */
export async function deleteChannel(context: RequestContext<CameraNeeds>): Promise<EndpointResult> {
  const { archive, protection } = context.needs;
  const id = channelIdOfPath(context);
  const withArchive = context.request.query.oneOf("archive", ["keep", "delete"], "keep") === "delete";
  if (withArchive && protection.has(id)) {
    throw new NvrdError("IN_USE", `recordings of channel ${id} are protected: they cannot be deleted`);
  }
  const channelName = channelNameOf(context, id);
  const applied = await editConfiguration(context, (site) => {
    if (site.cameras.some((camera) => camera.id === id)) return withoutCameras(site, [id]);
    if (withArchive && archive.hasChannel(id)) return site;
    throw new NvrdError("NOT_FOUND", `there is no channel ${id}`);
  });
  if (withArchive) {
    await archive.deleteChannel(id);
    context.log.info(
      { user: context.principal.user.name, channel: id },
      "a channel's recordings are removed",
    );
    raiseArchiveAct(context, "archiveDeleted", { channelId: id, channelName, comment: "" });
  }
  return answerConfiguration({ DeletedObjectsIds: [id] }, applied);
}
