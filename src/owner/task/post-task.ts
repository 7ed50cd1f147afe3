import * as v from "valibot";
import { type TaskKind, type TaskObject, task as taskAnswer } from "../../contract/answer/index.js";
import {
  answerJson,
  type JsonSchema,
  jsonAnswer,
  languageOf,
  members,
  type Route,
  readBody,
  schemaOf,
} from "../../route/index.js";
import { ADD_CAMERAS_KIND } from "./add-cameras.js";
import { ANNOUNCE_KIND } from "./announce.js";
import { CHECK_KIND } from "./check-recordings.js";
import { ADOPT_KIND, FORMAT_KIND, REPLACE_KIND } from "./disk-work.js";
import { EXPORT_KIND } from "./make-export.js";
import { MOVE_KIND } from "./move-recordings.js";
import { READ_CAMERAS_KIND } from "./read-cameras.js";
import { SAVE_FILE_KIND } from "./save-file.js";
import { SCAN_KIND } from "./scan-cameras.js";
import type { StartableKind, TaskNeeds } from "./task-kind.js";
import { describeTask, TASK_EXAMPLE } from "./task-object.js";
import { OBTAIN_CERTIFICATE_KIND, TRY_ACME_KIND } from "./try-acme.js";
import { TRY_CAMERA_KIND } from "./try-camera.js";

const ACCEPTED = 202;

const KINDS: readonly StartableKind[] = [
  SCAN_KIND,
  READ_CAMERAS_KIND,
  TRY_CAMERA_KIND,
  ADD_CAMERAS_KIND,
  FORMAT_KIND,
  REPLACE_KIND,
  MOVE_KIND,
  ADOPT_KIND,
  CHECK_KIND,
  EXPORT_KIND,
  SAVE_FILE_KIND,
  ANNOUNCE_KIND,
  TRY_ACME_KIND,
  OBTAIN_CERTIFICATE_KIND,
];
const NAMES = KINDS.map(({ kind }) => kind);

const kindBody = members({
  Kind: v.picklist(NAMES, `accepted: one of ${NAMES.join(", ")}`),
});

export const START_TASK_ROUTE: Route<TaskNeeds> = {
  method: "POST",
  path: "/api/tasks",
  login: "user",
  leavesNothing: true,

  describe: {
    topic: "task",
    summary: "Starts long work",
    access: KINDS.map(({ kind, access }) => `\`${kind}\`: ${access}.`).join(" "),
    text: [
      "The answer comes at once, the work goes on by itself: it does not need the client that started it. What is wrong with the body is answered at once too.",
      "",
      "An update is started by [`POST /api/update`](#post-apiupdate), which takes the file, and is listed with the others.",
    ],
    body: { required: true, schema: { oneOf: KINDS.map(bodyOf) } },
    answer: { ...jsonAnswer(schemaOf(taskAnswer), "The task.", TASK_EXAMPLE), status: ACCEPTED },
    errors: {
      404: "There is no such disk, volume, interface, channel or announcement.",
      409: "Another disk is being worked on, the disk is not the one that is meant, or is being recorded onto, or there is no other. No authority for certificates is set, or one is being asked already.",
      429: "8 tasks of yours, or 32 of all users, are under way; or 32 files of yours are kept.",
      501: "The recorder does not mount disks by itself (setting `volumesDirectory`).",
    },
    example: [
      `curl -fu "$AUTH" "$NVRD/api/tasks" --data '{ "Kind": "Check" }'`,
      `curl -fu "$AUTH" "$NVRD/api/tasks" --data '{ "Kind": "Scan", "Address": "127.0.0.1", "Seconds": 1 }'`,
      `curl -fu "$AUTH" "$NVRD/api/tasks" --data '{ "Kind": "TryAcme", "Names": ["nvr.example.org"], "DirectoryUrl": "https://ca.example.org/acme/directory" }'`,
      `curl -fu "$AUTH" "$NVRD/api/tasks" --data '{ "Kind": "TryCamera", "ChannelId": "'$CHANNEL'", "Login": "admin", "Password": "another" }'`,
    ],
  },
  /** POST /api/tasks: starts long work. */
  async endpoint(context) {
    const { Kind } = readBody(kindBody, context.request.body);
    const kind = KINDS.find((one) => one.kind === Kind);
    if (kind === undefined) throw new Error(`no way to start ${Kind}`);
    const task = await kind.start(context);
    context.log.info({ user: context.principal.user.name, task: task.id, kind: Kind }, "long work started");
    return { ...answerJson<TaskObject>(describeTask(task, languageOf(context.request))), status: ACCEPTED };
  },
};

function bodyOf({ kind, body }: StartableKind): JsonSchema {
  const named: JsonSchema = { type: "string", const: kind satisfies TaskKind };
  return {
    ...body,
    title: `${kind}Task`,
    properties: { Kind: named, ...body.properties },
    required: ["Kind", ...(body.required ?? [])],
  };
}
