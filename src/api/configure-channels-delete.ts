import { NvrdError } from "../base/index.js";
import { answerJson } from "./answer.js";
import { removeCamera } from "./camera-tree.js";
import { channelIdOfPath } from "./configure-channels.js";
import { readExpectedRevision, revisionHeader } from "./expected-revision.js";
import type { EndpointResult, RequestContext } from "./services.js";

/**
 * DELETE /configure/channels/{id}: takes a camera out of the configuration. Its recordings stay until retention takes
 * them, or go now (`archive=delete`), also those of a camera that was taken out before.
 */
export async function deleteChannel(context: RequestContext): Promise<EndpointResult> {
  const { services, request, log, principal } = context;
  const { site, archive } = services;
  const id = channelIdOfPath(context);
  const withArchive = request.query.oneOf("archive", ["keep", "delete"], "keep") === "delete";
  const expectedRevision = readExpectedRevision(request);
  const applied = await site.change(
    (before) => {
      if (before.cameras.some((camera) => camera.id === id)) return removeCamera(before, id);
      if (withArchive && archive.hasChannel(id)) return before;
      throw new NvrdError("NOT_FOUND", `there is no channel ${id}`);
    },
    expectedRevision === undefined ? {} : { expectedRevision },
  );
  log.info({ user: principal.user.name, camera: id, withArchive }, "camera removed");
  if (withArchive) await archive.deleteChannel(id);
  return answerJson({ DeletedObjectsIds: [id] }, revisionHeader(applied));
}
