import { maySeeFleet } from "../../access/index.js";
import { formatIsoTime, type Language, NvrdError } from "../../base/index.js";
import {
  BOX_SILENCES,
  type HubBox,
  type HubBoxes,
  type HubBoxFigures,
  type HubCodeAnswer,
  type HubMap,
  hubBoxes,
  hubCode,
  hubMap,
} from "../../contract/answer/index.js";
import { boxPlace, boxPlaceTexts, shownWord } from "../../contract/index.js";
import { boxesQuery } from "../../contract/query/index.js";
import { notesOf, readerOfValue } from "../../contract/reading/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import type { BoxChannels, BoxFigures, BoxState } from "../../fleet/index.js";
import { PROBLEM_WORDS, type ProblemCode } from "../../health/index.js";
import {
  answerJson,
  answerLongJson,
  describeQuery,
  type EndpointResult,
  jsonAnswer,
  orNull,
  type RequestContext,
  type Route,
  readBody,
  readParameter,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import type { BoxesControl, FleetNeeds } from "./fleet-control.js";

const placeBody = readerOfValue(boxPlace);

const LIST = jsonAnswer(schemaOf(hubBoxes), "The recorders, by name.");
/** Why a route of a hub answers 404. */
export const NO_HUB = "This is no hub (setting `hubPort`).";
/** Before the line of an example that only a hub answers. */
export const WHERE_NO_HUB = "# Where this is no hub: 404.";
const ERRORS = { 404: NO_HUB };

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
      return boxes === undefined ? answerJson<null>(null) : answerBoxes(context, boxes, language);
    },
  },
  {
    method: "GET",
    path: "/api/boxes/map",
    login: "user",
    describe: {
      topic: "fleet",
      summary: "Lists the cameras of this hub's recorders that are on the map",
      text: [
        "A camera is there where it has a position (`MapSettings` of [`PUT /configure/channels/{id}`](#put-configurechannelsid)). Of a recorder that is silent, as it was. Whose group may not watch all cameras sees none.",
      ],
      answer: jsonAnswer(schemaOf(hubMap), "The cameras."),
      errors: ERRORS,
      example: [WHERE_NO_HUB, 'curl -fu "$AUTH" "$NVRD/api/boxes/map"'],
    },
    /** GET /api/boxes/map: where cameras are, from memory: no recorder is waited for. */
    endpoint(context) {
      const { boxes } = requireHub(context.needs).catalogue;
      const shown = maySeeFleet(context.principal) ? boxes : [];
      const cameras = {
        *[Symbol.iterator]() {
          for (const box of shown) yield* camerasOnMap(box);
        },
      };
      return answerLongJson<HubMap>(context, { Cameras: cameras });
    },
  },
  {
    method: "PUT",
    path: "/api/boxes/{id}",
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Says where a recorder of this hub is",
      pathValues: { id: "The recorder's id." },
      body: {
        required: true,
        schema: withNotes(schemaOfBody(placeBody), notesOf(boxPlace.members, boxPlaceTexts)),
      },
      answer: LIST,
      errors: { 404: "This is no hub, or it has no such recorder." },
      example: [
        WHERE_NO_HUB,
        `curl -fu "$AUTH" -X PUT "$NVRD/api/boxes/22222222-0000-4000-8000-00000000000c" --data '{ "Position": { "Latitude": 59.93, "Longitude": 30.31 } }'`,
      ],
    },
    /** PUT /api/boxes/{id}: where it is on the map. */
    async endpoint(context) {
      const { needs, request, principal, log } = context;
      const { Position = null } = readBody(placeBody, request.body);
      const boxes = requireHub(needs);
      const id = context.pathValues.get("id") ?? "";
      const position =
        Position === null ? undefined : { latitude: Position.Latitude, longitude: Position.Longitude };
      if (!(await boxes.place(id, position))) throw noBox();
      log.info({ user: principal.user.name, box: id }, "a recorder was placed on the map");
      return await answerBoxes(context, boxes);
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
      errors: ERRORS,
      example: [WHERE_NO_HUB, 'curl -fu "$AUTH" -X POST "$NVRD/api/boxes/code"'],
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
        WHERE_NO_HUB,
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
      return await answerBoxes(context, boxes);
    },
  },
];

/** Throws NvrdError NOT_FOUND where this is no hub. */
export function requireHub({ boxes: ofHub }: Pick<FleetNeeds, "boxes">): BoxesControl {
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

function answerBoxes(
  context: RequestContext<FleetNeeds>,
  boxes: BoxesControl,
  language: Language = "en",
): Promise<EndpointResult> {
  const channels = new Map(boxes.catalogue.boxes.map((box) => [box.boxId, box]));
  const byName = maySeeFleet(context.principal)
    ? boxes.boxes().toSorted((a, b) => a.name.localeCompare(b.name))
    : [];
  const list = {
    *[Symbol.iterator]() {
      for (const box of byName) yield boxObject(box, { language, middle: middleOf(channels.get(box.id)) });
    },
  };
  return answerLongJson<HubBoxes>(context, { Boxes: list, Problem: boxes.problem ?? null });
}

type Degrees = NonNullable<BoxState["position"]>;

/** Where the cameras of a recorder are on the average; undefined: none is on the map. */
function middleOf({ channels }: Pick<BoxChannels, "channels"> = { channels: [] }): Degrees | undefined {
  const places = channels.flatMap(({ GeoPosition }) => GeoPosition ?? []);
  const mean = (of: (place: (typeof places)[number]) => number): number =>
    places.reduce((sum, place) => sum + of(place), 0) / places.length;
  if (places.length === 0) return undefined;
  return { latitude: mean(({ Latitude }) => Latitude), longitude: mean(({ Longitude }) => Longitude) };
}

function camerasOnMap({ boxId, channels }: BoxChannels): HubMap["Cameras"] {
  return channels.flatMap(({ Id, Name, GeoPosition }) =>
    GeoPosition === null ? [] : [{ Id, Name, Recorder: boxId, ...GeoPosition }],
  );
}

function positionObject({ position }: BoxState, middle: Degrees | undefined): HubBox["Position"] {
  const { latitude, longitude } = position ?? middle ?? {};
  if (latitude === undefined || longitude === undefined) return null;
  return { Latitude: latitude, Longitude: longitude, IsSet: position !== undefined };
}

interface BoxView {
  readonly language: Language;
  readonly middle: Degrees | undefined;
}

function boxObject(box: BoxState, { language, middle }: BoxView): HubBox {
  const { id, name, version, health, figures, addedUs, seenUs, silence, isReadOffSite } = box;
  return {
    Id: id,
    Name: name,
    Version: version === "" ? null : version,
    Health: health === "" ? null : health,
    Figures: figures === undefined ? null : figuresObject(figures, language),
    AddedTime: formatIsoTime(addedUs),
    SeenTime: seenUs === undefined ? null : formatIsoTime(seenUs),
    IsConnected: silence === undefined,
    Position: positionObject(box, middle),
    IsReadOffSite: isReadOffSite,
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
