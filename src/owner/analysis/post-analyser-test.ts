import type { Finding, TaskTrial } from "../../analysis/index.js";
import { type AnalyserTest, analyserTest } from "../../contract/answer/index.js";
import {
  answerJson,
  guidOrNone,
  guidText,
  jsonAnswer,
  members,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import type { AnalysisNeeds } from "./object-trials.js";
import { boxObject, kindName } from "./prediction-object.js";

const body = members({ Id: guidText, ChannelId: guidOrNone });

const TASK_NAMES = { objects: "Objects", plates: "Plates", faces: "Faces" } as const;

export const ANALYSER_TEST_ROUTE: Route<AnalysisNeeds> = {
  method: "POST",
  path: "/api/analysers/test",
  login: "administrator",

  describe: {
    topic: "analysis",
    summary: "Sends a picture to an analyser, and shows what came back",
    text: [
      "The present picture of a channel goes to an analyser of the kind `Vision`, whether it is switched on or not, and without events. Each task has `TimeoutSeconds` for its answer.",
    ],
    body: {
      required: true,
      schema: withNotes(schemaOfBody(body), {
        Id: "The analyser.",
        ChannelId: "The channel. When left out: the first that the analyser gets pictures of.",
      }),
    },
    answer: jsonAnswer(schemaOf(analyserTest), "The picture and the answers."),
    errors: {
      404: "There is no such analyser or channel.",
      409: "The analyser is of the kind `Frigate`, which is sent nothing.",
      429: "More than 12 tests in a minute.",
      503: "The channel has no picture.",
    },
    example: [
      'ANALYSER=$(curl -fsSu "$AUTH" "$NVRD/configure/analysers" --data \'[{ "Name": "Office PC", "Kind": "Vision",',
      '  "Vision": { "Url": "http://192.168.1.20:32168" } }]\' | member CreatedObjectsIds)',
      'curl -fu "$AUTH" -X POST "$NVRD/api/analysers/test" --data \'{ "Id": "\'$ANALYSER\'" }\'',
      'curl -fu "$AUTH" -X DELETE "$NVRD/configure/analysers/$ANALYSER"',
    ],
  },
  /** POST /api/analysers/test */
  async endpoint(context) {
    const { needs, request, principal, log } = context;
    const { Id, ChannelId } = readBody(body, request.body);
    const { channelId, picture, tasks } = await needs.analysis.test(Id, ChannelId ?? undefined);
    log.info({ user: principal.user.name, analyser: Id, channel: channelId }, "an analyser was tested");
    return answerJson<AnalyserTest>({
      ChannelId: channelId,
      Picture: {
        Width: picture.width,
        Height: picture.height,
        Bytes: picture.jpeg.byteLength,
        Jpeg: Buffer.from(picture.jpeg).toString("base64"),
      },
      Results: tasks.map(describeTask),
    });
  },
};

function describeTask({ task, tookMs, findings, problem }: TaskTrial): AnalyserTest["Results"][number] {
  return {
    Task: TASK_NAMES[task],
    Milliseconds: tookMs,
    Problem: problem ?? null,
    Predictions: findings.map(describeFinding),
  };
}

function describeFinding({
  kind,
  label,
  confidence,
  number,
  person,
  box,
}: Finding): AnalyserTest["Results"][number]["Predictions"][number] {
  return {
    Kind: kindName(kind),
    Label: label,
    Confidence: Math.round(confidence * 1000) / 10,
    Number: number ?? null,
    Name: person ?? null,
    Box: box === undefined ? null : boxObject(box),
  };
}
