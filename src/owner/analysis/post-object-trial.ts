import { formatIsoTime, NvrdError, parseGuid, US_PER_MINUTE } from "../../base/index.js";
import { type ObjectTrialAnswer, objectTrial } from "../../contract/answer/index.js";
import { cameraAnalysisTexts, cameraObjects, motionDetector } from "../../contract/index.js";
import { shown } from "../../http/index.js";
import { visibleCameras } from "../../player/index.js";
import { readMotionZones } from "../../recording/index.js";
import {
  answerJson,
  BodyReader,
  Faults,
  jsonAnswer,
  meaning,
  objectOf,
  parseJsonBody,
  type RequestContext,
  type Route,
  range,
  readMembers,
  requireArchiveRight,
  schemaOf,
  schemaOfResource,
  untilGone,
} from "../../route/index.js";
import { type Camera, cameraOptions, DEFAULT_OBJECTS } from "../../site/index.js";
import { findingObject } from "./finding-object.js";
import type { AnalysisNeeds, TriedFinding } from "./object-trials.js";

const MINUTES_MAX = 24 * 60;
const MINUTES = 60;
const SETTINGS = "ObjectDetectionSettings";

export const OBJECT_TRIAL_ROUTE: Route<AnalysisNeeds> = {
  method: "POST",
  path: "/api/channels/{id}/objects/trial",
  login: "user",
  leavesNothing: true,

  describe: {
    topic: "analysis",
    summary: "Tries zones, lines and sizes on what was recorded: what would have been reported",
    access: "The channel must be one whose archive the user may see.",
    text: [
      "An addition of nvrd's. The ways of the things that the recorder's own detector saw in the last minutes, the newest 200, go through the zones and lines of the body. Nothing is changed, and no picture is looked at again: what the present settings left out (a kind, a lower score, all outside of the present zones) is not found either.",
    ],
    pathValues: { id: "The channel's id." },
    body: {
      required: true,
      schema: objectOf({
        [SETTINGS]: meaning(
          "As in the camera's `AnalyzeSettings`. Members that are left out are as they are.",
          schemaOfResource(cameraObjects, textsOfObjects()),
        ),
        Zones: meaning("[Motion zones](motion-zones.md). Null: none. Left out: as they are.", {}),
        Minutes: {
          ...range(1, MINUTES_MAX),
          type: "integer",
          default: MINUTES,
          description: "How far back.",
        },
      }),
    },
    answer: jsonAnswer(schemaOf(objectTrial), "What would have been reported."),
    errors: { 404: "There is no such channel." },
    example: [
      'curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL/objects/trial" --data \'{ "ObjectDetectionSettings": {',
      '  "Lines": [{ "Name": "Gate", "X1": 0.2, "Y1": 0.9, "X2": 0.8, "Y2": 0.9 }] } }\'',
    ],
  },
  /** POST /api/channels/{id}/objects/trial */
  async endpoint(context) {
    const { needs, principal, request } = context;
    const camera = askedCamera(context);
    const faults = new Faults();
    const reader = new BodyReader(parseJsonBody(request.body), "", faults);
    const { analyze } = cameraOptions(camera);
    const objects = readMembers(reader.child(SETTINGS), cameraObjects, analyze.objects ?? DEFAULT_OBJECTS);
    const present = analyze.motionDetector?.zonesJson ?? "null";
    const given = reader.isNull("Zones") ? null : reader.value("Zones");
    const reading = readMotionZones(given === undefined ? JSON.parse(present) : given);
    if (given !== undefined)
      for (const { at, accepted } of reading.faults) reader.fault(`Zones${at}`, accepted);
    const minutes = reader.integer("Minutes", 1, MINUTES_MAX) ?? MINUTES;
    faults.throwIfAny();
    const toUs = needs.clock.nowUs();
    const span = { fromUs: toUs - minutes * US_PER_MINUTE, toUs };
    const { zones } = reading;
    const signal = untilGone(context);
    const { found, seen, isCut } = await needs.objectTrial.run({ camera, objects, zones, ...span, signal });
    const isSeen = ({ finding }: TriedFinding): boolean => needs.seen.isSeen(principal.user.id, finding);
    return answerJson<ObjectTrialAnswer>({
      ...{ From: formatIsoTime(span.fromUs), To: formatIsoTime(toUs), Seen: seen, IsCut: isCut },
      Found: found.map((one) => triedObject(one, camera.name, isSeen(one))),
    });
  },
};

/** The camera of the path. Throws NvrdError NOT_FOUND where the user sees none. */
function askedCamera({ needs, principal, pathValues }: RequestContext<AnalysisNeeds>): Camera {
  const text = pathValues.get("id") ?? "";
  const id = parseGuid(text);
  const camera = visibleCameras(needs.site.current, principal).find((one) => one.id === id);
  if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${shown(text)}`);
  requireArchiveRight(principal, camera);
  return camera;
}

function triedObject({ finding, acts }: TriedFinding, channelName: string, isSeen: boolean) {
  return {
    Finding: findingObject(finding, channelName, isSeen),
    Acts: acts.map(({ kind, name, direction, timeUs }) => ({
      ...{ Kind: kind, Name: name, Direction: direction ?? null, Time: formatIsoTime(timeUs) },
    })),
  };
}

/** What is said of the members of the camera's settings. */
function textsOfObjects(): Readonly<Record<string, string>> {
  const texts = Object.entries(cameraAnalysisTexts(motionDetector.Zones.max));
  const ofObjects = texts.filter(([path]) => path.startsWith(`${SETTINGS}.`));
  return Object.fromEntries(ofObjects.map(([path, text]) => [path.slice(SETTINGS.length + 1), text]));
}
