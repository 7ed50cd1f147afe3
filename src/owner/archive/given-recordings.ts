import type { RecordedChannel } from "../../archive/index.js";
import { type Guid, NvrdError, parseGuid } from "../../base/index.js";
import { type RecordingsGiven, recordingsGift, recordingsGiven } from "../../contract/answer/index.js";
import { shown } from "../../http/index.js";
import { INDEX_IS_OPENING, requireIndex } from "../../player/index.js";
import {
  answerJson,
  BodyReader,
  channelNameOf,
  Faults,
  jsonAnswer,
  parseJsonBody,
  type RequestContext,
  type Route,
  raiseArchiveAct,
  schemaOf,
} from "../../route/index.js";
import type { Camera } from "../../site/index.js";
import type { ArchiveNeeds } from "./archive-parts.js";

const ID_LENGTH_MAX = 64;
export const GIVE_RECORDINGS_ROUTE: Route<ArchiveNeeds> = {
  method: "PUT",
  path: "/api/archive/former/{id}",
  login: "administrator",

  describe: {
    topic: "archive",
    summary: "Gives a former camera's recordings to a camera, or takes them back",
    text: [
      "An addition of nvrd's, for a camera that was replaced by another one, or whose recordings are on another recorder's disk. Whatever is asked of the camera is then answered from its own recordings and from these: it plays, exports and protects them, and who may watch its archive may watch them. They are kept as many days as the camera's own. The former camera's id answers nothing.",
      "",
      "Where both have recorded a moment, it comes from the camera's own recording; where several former cameras have, from the one that was given first. No file is changed, so a power cut loses nothing, and `null` takes the recordings back as they were. They belong to the former camera again, too, where a camera is made with its id.",
    ],
    pathValues: { id: "The former camera's id." },
    body: {
      required: true,
      text: "`GivenTo` is the id of a configured camera, or null.",
      schema: schemaOf(recordingsGift),
    },
    answer: jsonAnswer(schemaOf(recordingsGiven), "Who has the recordings now. It is durable."),
    errors: {
      404: "There is no such former camera.",
      409: "Protected times of the camera that has the recordings hold for them: they cannot be taken from it.",
      503: INDEX_IS_OPENING,
    },
    example: [
      "FORMER=22222222-0000-4000-8000-0000000000ff",
      "# Where nothing of it was recorded: 404.",
      `curl -fu "$AUTH" -X PUT "$NVRD/api/archive/former/$FORMER" --data '{"GivenTo": "'$CHANNEL'"}'`,
    ],
  },
  /** PUT /api/archive/former/{id}: who has the recordings of a former camera. */
  async endpoint(context) {
    const { archive } = context.needs;
    requireIndex(archive);
    const former = requireFormer(context);
    const camera = readCamera(context);
    const ownerId = archive.givenRecordings().find(({ formerId }) => formerId === former.id)?.channelId;
    if (ownerId !== undefined && ownerId !== camera?.id) {
      requireUnprotected(context, former, ownerId);
      await archive.takeBackRecordings(former.id);
      report(context, "archiveTakenBack", ownerId, former.id);
    }
    if (camera !== undefined && ownerId !== camera.id) {
      await archive.giveRecordings(former.id, camera.id);
      report(context, "archiveGiven", camera.id, former.id);
    }
    return answerJson<RecordingsGiven>({ Id: former.id, GivenTo: camera?.id ?? null });
  },
};

/** Throws NvrdError NOT_FOUND where nothing is recorded under the id, or a configured camera has it. */
function requireFormer({ needs, pathValues }: RequestContext<ArchiveNeeds>): RecordedChannel {
  const text = pathValues.get("id") ?? "";
  const id = parseGuid(text);
  const isConfigured = needs.site.current.cameras.some((camera) => camera.id === id);
  const former = isConfigured ? undefined : needs.archive.recordedChannels().find((one) => one.id === id);
  if (former === undefined)
    throw new NvrdError("NOT_FOUND", `there is no former camera ${shown(text)}`, {
      hint: "see GET /api/archive/former",
    });
  return former;
}

/** The camera that is to have the recordings; undefined: nobody. */
function readCamera({ needs, request }: RequestContext<ArchiveNeeds>): Camera | undefined {
  const faults = new Faults();
  const body = new BodyReader(parseJsonBody(request.body), "", faults);
  const id = body.text("GivenTo", ID_LENGTH_MAX);
  const camera = needs.site.current.cameras.find((one) => one.id === parseGuid(id ?? ""));
  if (id !== undefined && camera === undefined) body.fault("GivenTo", "is no camera that is set up");
  if (id === undefined && !body.isNull("GivenTo")) body.fault("GivenTo", "is missing");
  faults.throwIfAny();
  return camera;
}

/** What the camera that has them protects stays protected: throws NvrdError IN_USE where that holds for these recordings. */
function requireUnprotected(
  { needs }: RequestContext<ArchiveNeeds>,
  { id, fromUs, toUs }: RecordedChannel,
  ownerId: Guid,
): void {
  const held = needs.protection.ranges(ownerId).some((range) => {
    return range.channelId !== id && range.fromUs < toUs && range.toUs > fromUs;
  });
  if (held)
    throw new NvrdError("IN_USE", "protected times of the camera hold for these recordings: lift them first");
}

function report(
  context: RequestContext<ArchiveNeeds>,
  act: "archiveGiven" | "archiveTakenBack",
  channelId: Guid,
  formerId: Guid,
): void {
  const name = channelNameOf(context, formerId);
  const channelName = channelNameOf(context, channelId);
  const { log, principal } = context;
  log.info(
    { user: principal.user.name, former: formerId, channel: channelId, act },
    "recordings change hands",
  );
  raiseArchiveAct(context, act, { channelId, channelName, comment: name === "" ? formerId : name });
}
