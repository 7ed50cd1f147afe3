import { formatIsoTime, NvrdError, newGuid } from "../../base/index.js";
import {
  type HubTemplates,
  hubTemplates,
  type TemplateResult,
  templateResult,
} from "../../contract/answer/index.js";
import {
  templateRecorders,
  templateRecordersTexts,
  templateStart,
  templateStartTexts,
  templateUse,
  templateUseTexts,
} from "../../contract/index.js";
import { notesOf, readerOfValue } from "../../contract/reading/index.js";
import {
  answerLongJson,
  type EndpointResult,
  jsonAnswer,
  type RequestContext,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import { NO_HUB, requireHub, WHERE_NO_HUB } from "./boxes.js";
import type { FleetNeeds } from "./fleet-control.js";
import { hubUserOf } from "./hub-user.js";

const PATH = "/api/fleet/templates";
const startBody = readerOfValue(templateStart);
const recordersBody = readerOfValue(templateRecorders);
const useBody = readerOfValue(templateUse);
const LIST = jsonAnswer(schemaOf(hubTemplates), "The templates, by name, and where one was applied last.");
const RESULT = jsonAnswer(schemaOf(templateResult), "Each recorder, in the order sent.");
const NO_TEMPLATE = `${NO_HUB} Or: there is no such template.`;
const NOT_KEPT = "What is kept of this hub cannot be read or written.";
const ID = { id: "The template's id." };
const RECORDERS_SCHEMA = withNotes(
  schemaOfBody(recordersBody),
  notesOf(templateRecorders.members, templateRecordersTexts),
);
const EXAMPLE_ID = "22222222-0000-4000-8000-00000000000c";

export const TEMPLATE_ROUTES: readonly Route<FleetNeeds>[] = [
  {
    method: "GET",
    path: PATH,
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Lists the templates for the settings of this hub's recorders",
      answer: LIST,
      errors: { 404: NO_HUB, 503: NOT_KEPT },
      example: [WHERE_NO_HUB, `curl -fu "$AUTH" "$NVRD${PATH}"`],
    },
    /** GET /api/fleet/templates: with what can be undone. */
    endpoint: (context) => answerTemplates(context),
  },
  {
    method: "POST",
    path: PATH,
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Makes a template of the settings of a camera, or of a recorder",
      text: [
        "Nothing in it is a secret, an address, a right of somebody, or belongs to one camera's picture or streams. The recorder has to let this hub's administrators have *Everything* (`Ceiling` of [`/api/hub`](#put-apihub)).",
      ],
      body: {
        required: true,
        schema: withNotes(schemaOfBody(startBody), notesOf(templateStart.members, templateStartTexts)),
      },
      answer: LIST,
      errors: {
        404: NO_HUB,
        409: "There are too many.",
        503: `The recorder does not answer. Or: ${NOT_KEPT}`,
      },
      example: [
        WHERE_NO_HUB,
        `curl -fu "$AUTH" "$NVRD${PATH}" --data '{ "Name": "Shops", "Recorder": "${EXAMPLE_ID}", "Parts": ["Recording", "Retention"] }'`,
      ],
    },
    /** POST /api/fleet/templates: makes one. */
    async endpoint(context) {
      const { needs, request, principal, log } = context;
      const { Name, Camera, Recorder, Parts } = readBody(startBody, request.body);
      const { boxes, keeping, recorders } = await loaded(context);
      const place =
        Camera == null
          ? undefined
          : Recorder == null
            ? boxes.catalogue.place(Camera)
            : { boxId: Recorder, ownId: Camera };
      const boxId = Recorder ?? place?.boxId;
      if (boxId == null || boxes.box(boxId) === undefined)
        throw new NvrdError("BAD_REQUEST", "no recorder of this hub has it: send Camera, Recorder or both");
      const all = await recorders.cameras(boxId);
      const cameras = place === undefined ? all : all.filter(({ Id }) => Id === place.ownId);
      const { commonSettings } = await import("./template/template-settings.js");
      const settings = commonSettings(cameras, Parts);
      if (settings.length === 0)
        throw new NvrdError("BAD_REQUEST", "there is no setting of these parts that its cameras have alike");
      await keeping.add({
        ...{ id: newGuid(), name: Name, madeUs: needs.clock.nowUs(), madeBy: principal.user.name },
        source: (place === undefined ? boxes.box(boxId)?.name : cameras[0]?.Name) ?? "",
        settings: [...settings],
      });
      log.info({ user: principal.user.name, template: Name }, "a template was made");
      return await answerTemplates(context);
    },
  },
  {
    method: "DELETE",
    path: `${PATH}/{id}`,
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Deletes a template",
      text: ["Recorders keep the settings that they have of it; what can be undone can be undone still."],
      pathValues: ID,
      answer: LIST,
      errors: { 404: NO_TEMPLATE, 503: NOT_KEPT },
      example: [WHERE_NO_HUB, `curl -fu "$AUTH" -X DELETE "$NVRD${PATH}/${EXAMPLE_ID}"`],
    },
    /** DELETE /api/fleet/templates/{id}: forgets it. */
    async endpoint(context) {
      const { keeping } = await loaded(context);
      await keeping.remove(context.pathValues.get("id") ?? "");
      return await answerTemplates(context);
    },
  },
  {
    method: "POST",
    path: `${PATH}/{id}/preview`,
    login: "administrator",
    isNoAct: true,
    describe: {
      topic: "fleet",
      summary: "Says what a template would change at recorders",
      pathValues: ID,
      body: { required: true, schema: RECORDERS_SCHEMA },
      answer: RESULT,
      errors: { 404: NO_TEMPLATE, 503: NOT_KEPT },
      example: [
        WHERE_NO_HUB,
        `curl -fu "$AUTH" "$NVRD${PATH}/${EXAMPLE_ID}/preview" --data '{ "Recorders": ["${EXAMPLE_ID}"] }'`,
      ],
    },
    /** POST /api/fleet/templates/{id}/preview: changes nothing. */
    async endpoint(context) {
      const { Recorders } = readBody(recordersBody, context.request.body);
      const { keeping, recorders } = await loaded(context);
      const { settings } = await keeping.template(context.pathValues.get("id") ?? "");
      return await answerResult(context, await recorders.preview(Recorders, settings));
    },
  },
  {
    method: "POST",
    path: `${PATH}/{id}/apply`,
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Applies a template to recorders",
      text: [
        "Each recorder decides by itself: its owner has to let this hub's administrators have *Everything* (`Ceiling` of [`/api/hub`](#put-apihub)), and it has the change among its events, with the user's name. At one recorder all of its cameras are changed, or none. What the settings were before is kept, so that the last application can be undone there.",
      ],
      pathValues: ID,
      body: {
        required: true,
        schema: withNotes(schemaOfBody(useBody), notesOf(templateUse.members, templateUseTexts)),
      },
      answer: RESULT,
      errors: { 404: NO_TEMPLATE, 503: NOT_KEPT },
      example: [
        WHERE_NO_HUB,
        `curl -fu "$AUTH" "$NVRD${PATH}/${EXAMPLE_ID}/apply" --data '{ "Recorders": [{ "Id": "${EXAMPLE_ID}", "Revision": "12" }] }'`,
      ],
    },
    /** POST /api/fleet/templates/{id}/apply: changes recorders. */
    async endpoint(context) {
      const { Recorders } = readBody(useBody, context.request.body);
      const { keeping, recorders } = await loaded(context);
      const template = await keeping.template(context.pathValues.get("id") ?? "");
      return await answerResult(context, await recorders.apply(Recorders, template));
    },
  },
  {
    method: "POST",
    path: `${PATH}/undo`,
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Takes back at recorders what a template has changed there last",
      text: ["What somebody has changed since stays as it is."],
      body: { required: true, schema: RECORDERS_SCHEMA },
      answer: RESULT,
      errors: { 404: NO_HUB, 503: NOT_KEPT },
      example: [
        WHERE_NO_HUB,
        `curl -fu "$AUTH" "$NVRD${PATH}/undo" --data '{ "Recorders": ["${EXAMPLE_ID}"] }'`,
      ],
    },
    /** POST /api/fleet/templates/undo: changes recorders back. */
    async endpoint(context) {
      const { Recorders } = readBody(recordersBody, context.request.body);
      const { recorders } = await loaded(context);
      return await answerResult(context, await recorders.undo(Recorders));
    },
  },
];

/** Loaded at hubs alone. Throws NvrdError NOT_FOUND where this is none. */
async function loaded({ needs, principal, request, log }: RequestContext<FleetNeeds>) {
  const boxes = requireHub(needs);
  const [{ TemplateKeeping }, { TemplateBoxes }] = await Promise.all([
    import("./template/template-keeping.js"),
    import("./template/template-boxes.js"),
  ]);
  const keeping = new TemplateKeeping(boxes.documents);
  const user = hubUserOf(principal, request.address);
  return { boxes, keeping, recorders: new TemplateBoxes({ boxes, user, keeping, clock: needs.clock, log }) };
}

async function answerTemplates(context: RequestContext<FleetNeeds>): Promise<EndpointResult> {
  const { boxes, keeping } = await loaded(context);
  const { partOf } = await import("./template/template-settings.js");
  const applied = await Promise.all(
    (await keeping.appliedAt()).map(async (id) => ({ id, last: await keeping.applied(id) })),
  );
  const templates = await keeping.all();
  return await answerLongJson<HubTemplates>(context, {
    Templates: templates.map(({ id, name, source, madeUs, madeBy, settings }) => ({
      ...{ Id: id, Name: name, Source: source, MadeTime: formatIsoTime(madeUs), MadeBy: madeBy },
      Settings: settings.flatMap(({ setting, value }) => {
        const Part = partOf(setting);
        return Part === undefined ? [] : [{ Part, Setting: setting, Value: JSON.stringify(value) }];
      }),
    })),
    Applied: applied.flatMap(({ id, last }) =>
      last === undefined
        ? []
        : [
            {
              ...{ Recorder: id, Name: boxes.box(id)?.name ?? id, Template: last.template },
              ...{ Time: formatIsoTime(last.timeUs), By: last.by },
            },
          ],
    ),
  });
}

function answerResult(
  context: RequestContext<FleetNeeds>,
  recorders: TemplateResult["Recorders"],
): Promise<EndpointResult> {
  return answerLongJson<TemplateResult>(context, { Recorders: recorders });
}
