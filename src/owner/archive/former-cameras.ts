import { formatIsoTime } from "../../base/index.js";
import { type FormerCamera, formerCameras } from "../../contract/answer/index.js";
import { formerCamera, INDEX_IS_OPENING, requireIndex } from "../../player/index.js";
import { answerJson, jsonAnswer, type Route, sayLack, schemaOf } from "../../route/index.js";
import type { ArchiveNeeds } from "./archive-parts.js";

export const FORMER_CAMERAS_ROUTE: Route<ArchiveNeeds> = {
  method: "GET",
  path: "/api/archive/former",
  login: "user",

  describe: {
    topic: "archive",
    summary: "Lists the cameras of recordings that the configuration does not know",
    access:
      "Of channels whose archive the user may watch: those of groups with access to all channels, or whose list names the id.",
    text: [
      "An addition of nvrd's. A camera is a former one when it was removed and its recordings stayed, when its recordings are on a disk of another recorder that was adopted, or when they are [off the box](../guide/away.md) alone. Its recordings are played, searched, exported and protected like those of any channel, by its id (`channelid`).",
      "",
      "Recordings that were [given to a camera](#put-apiarchiveformerid) are listed too, for who may watch that camera's archive. They are played by that camera's id alone.",
      "",
      "[POST /configure/channels](#post-configurechannels) with the `Id` makes it a camera again, which has these recordings. [DELETE /configure/channels/{id}?archive=delete](#delete-configurechannelsid) deletes them.",
    ],
    answer: jsonAnswer(
      schemaOf(formerCameras),
      "The former cameras, those with the newest recordings first.",
    ),
    errors: { 503: INDEX_IS_OPENING },
    example: ['curl -fu "$AUTH" "$NVRD/api/archive/former"'],
  },
  /** GET /api/archive/former: cameras that are recorded and not configured. */
  async endpoint(context) {
    const { needs, principal } = context;
    const { archive, protection, channelBytes } = needs;
    requireIndex(archive);
    sayLack(context);
    const bytes = await channelBytes.read();
    const channels = [...archive.recordedChannels()].sort((a, b) => b.toUs - a.toUs);
    const given = new Map(archive.givenRecordings().map(({ formerId, channelId }) => [formerId, channelId]));
    const found = channels.flatMap(({ id, fromUs, toUs, isAway = false }): FormerCamera | [] => {
      const ownerId = given.get(id);
      const mayWatch = ownerId !== undefined && principal.mayWatchArchive(ownerId);
      if (!mayWatch && formerCamera(needs, principal, id) === undefined) return [];
      return {
        Id: id,
        Name: archive.recordedName(id) ?? id,
        FromTime: formatIsoTime(fromUs),
        ToTime: formatIsoTime(toUs),
        RecordedBytes: bytes.get(id)?.recordedBytes ?? null,
        IsAway: isAway,
        ProtectedTimes: protection.ranges(id).filter(({ channelId }) => channelId === id).length,
        GivenTo: ownerId ?? null,
      };
    });
    return answerJson(found);
  },
};
