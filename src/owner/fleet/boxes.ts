import { maySeeFleet, type Principal } from "../../access/index.js";
import { formatIsoTime, type Language, NvrdError } from "../../base/index.js";
import {
  BOX_SILENCES,
  type HubBox,
  type HubBoxes,
  type HubBoxFigures,
  type HubCodeAnswer,
  hubBoxes,
  hubCode,
} from "../../contract/answer/index.js";
import { shownWord } from "../../contract/index.js";
import { boxesQuery } from "../../contract/query/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import type { BoxFigures, BoxState } from "../../fleet/index.js";
import { PROBLEM_WORDS, type ProblemCode } from "../../health/index.js";
import {
  answerJson,
  describeQuery,
  jsonAnswer,
  orNull,
  type RequestContext,
  type Route,
  readParameter,
  schemaOf,
} from "../../route/index.js";
import type { BoxesControl, FleetNeeds } from "./fleet-control.js";

const LIST = jsonAnswer(schemaOf(hubBoxes), "The recorders, by name.");
const NO_HUB = { 404: "This is no hub (setting `hubPort`)." };

export const BOXES_ROUTES: readonly Route<FleetNeeds>[] = [
  {
    method: "GET",
    path: "/api/boxes",
    login: "user",
    describe: {
      topic: "fleet",
      summary: "Lists the recorders of this hub",
      text: ["Whose group may not watch all cameras, live or recorded, sees none."],
      parameters: describeQuery(boxesQuery),
      answer: jsonAnswer(orNull(schemaOf(hubBoxes)), "The recorders, by name; null: this is no hub."),
      example: ['curl -fu "$AUTH" "$NVRD/api/boxes"'],
    },
    /** GET /api/boxes: each recorder, how it does, and why it is silent. */
    endpoint(context) {
      const language = readParameter(context.request.query, boxesQuery, "language");
      const boxes = context.needs.boxes();
      return boxes === undefined ? answerJson<null>(null) : answerList(boxes, context.principal, language);
    },
  },
  {
    method: "POST",
    path: "/api/boxes/code",
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Makes a code that lets one recorder join this hub",
      text: [
        "For 15 minutes and one use. It is pasted at the recorder's page, or sent to its [`/api/hub`](#post-apihub).",
      ],
      answer: jsonAnswer(schemaOf(hubCode), "The code."),
      errors: NO_HUB,
      example: ["# Where this is no hub: 404.", 'curl -fu "$AUTH" -X POST "$NVRD/api/boxes/code"'],
    },
    /** POST /api/boxes/code: lets one recorder in. */
    endpoint(context) {
      const { code, untilUs } = requireHub(context.needs).makeCode();
      raise(context, "boxAdmitted", "");
      return answerJson<HubCodeAnswer>({ Code: code, UntilTime: formatIsoTime(untilUs) });
    },
  },
  {
    method: "DELETE",
    path: "/api/boxes/{id}",
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Removes a recorder from this hub",
      text: [
        "It is disconnected, and not let in again without a new code. Its recordings and settings stay as they are.",
      ],
      pathValues: { id: "The recorder's id." },
      answer: LIST,
      errors: { 404: "This is no hub, or it has no such recorder." },
      example: [
        "# Where this is no hub: 404.",
        'curl -fu "$AUTH" -X DELETE "$NVRD/api/boxes/22222222-0000-4000-8000-00000000000c"',
      ],
    },
    /** DELETE /api/boxes/{id}: lets it in no more. */
    async endpoint(context) {
      const boxes = requireHub(context.needs);
      const id = context.pathValues.get("id") ?? "";
      const name = boxes.box(id)?.name ?? "";
      if (!(await boxes.remove(id))) throw noBox();
      raise(context, "boxRemoved", name);
      return answerList(boxes, context.principal);
    },
  },
];

/** Throws NvrdError NOT_FOUND where this is no hub. */
export function requireHub({ boxes: ofHub }: FleetNeeds): BoxesControl {
  const boxes = ofHub();
  if (boxes !== undefined) return boxes;
  throw new NvrdError("NOT_FOUND", "this is no hub", { hint: "the setting hubPort makes it one" });
}

export function noBox(): NvrdError {
  return new NvrdError("NOT_FOUND", "this hub has no such recorder", { hint: "see GET /api/boxes" });
}

function raise(
  { needs, principal, log }: RequestContext<FleetNeeds>,
  what: "boxAdmitted" | "boxRemoved",
  comment: string,
): void {
  const { id, name } = principal.user;
  log.info({ user: name, box: comment }, EVENT_TYPES[what].name);
  needs.events.raise({ typeId: EVENT_TYPES[what].id, comment, initiator: { type: 1, id, name } });
}

function answerList(boxes: BoxesControl, principal: Principal, language: Language = "en") {
  const list = maySeeFleet(principal) ? boxes.boxes().map((box) => boxObject(box, language)) : [];
  const byName = list.sort((a, b) => a.Name.localeCompare(b.Name));
  return answerJson<HubBoxes>({ Boxes: byName, Problem: boxes.problem ?? null });
}

function boxObject(box: BoxState, language: Language): HubBox {
  const { id, name, version, health, figures, addedUs, seenUs, silence } = box;
  return {
    Id: id,
    Name: name,
    Version: version === "" ? null : version,
    Health: health === "" ? null : health,
    Figures: figures === undefined ? null : figuresObject(figures, language),
    AddedTime: formatIsoTime(addedUs),
    SeenTime: seenUs === undefined ? null : formatIsoTime(seenUs),
    IsConnected: silence === undefined,
    Silence: silence === undefined ? null : shownWord(BOX_SILENCES, silence),
  };
}

function figuresObject({ problems, ...figures }: BoxFigures, language: Language): HubBoxFigures {
  return {
    Cameras: figures.cameras,
    CamerasLost: figures.camerasLost,
    Volumes: figures.volumes,
    VolumesAtFault: figures.volumesAtFault,
    DaysLeft: figures.daysLeft,
    ProblemCount: figures.problemCount,
    Problems: problems.map(({ code, severity, text }) => {
      // A recorder of a newer version may have problems that this one does not know.
      const known = Object.hasOwn(PROBLEM_WORDS[language], code);
      const [title, remedy] = known ? PROBLEM_WORDS[language][code as ProblemCode] : [text, null];
      return { Code: code, Severity: severity, Text: text, Title: title, Remedy: remedy };
    }),
  };
}
