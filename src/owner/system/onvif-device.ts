import { type OnvifDeviceState, onvifDeviceState } from "../../contract/answer/index.js";
import {
  changed,
  defaultsOf,
  type InputOf,
  onvifDevice,
  onvifDeviceTexts,
  shown,
} from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import {
  answerConfiguration,
  CHANGE_PARAMETERS,
  editConfiguration,
  Faults,
  type JsonSchema,
  jsonAnswer,
  OTHER_REVISION,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import type { OnvifDeviceSettings, Site } from "../../site/index.js";
import type { SystemNeeds } from "./states.js";

const body = readerOf(onvifDevice);
const bodySchema = (): JsonSchema => withNotes(schemaOfBody(body), notesOf(onvifDevice, onvifDeviceTexts));
const STATE = schemaOf(onvifDeviceState, { Settings: bodySchema() });
const FIRST: OnvifDeviceSettings = defaultsOf(onvifDevice);
/** Of the device service (ONVIF Core, 5.1). */
const PATH = "/onvif/device_service";

export const ONVIF_DEVICE_ROUTES: readonly Route<SystemNeeds>[] = [
  {
    method: "GET",
    path: "/api/system/onvif-device",
    login: "administrator",
    endpoint: ({ needs }) => answerState(needs, needs.site.current),
    describe: {
      topic: "system",
      summary: "Shows who may use the recorder as an ONVIF device",
      text: [
        "An addition of nvrd's. It is set here, or in the [settings](settings.md#onvifusers) of the service: see the [guide](../guide/onvif.md).",
      ],
      answer: { ...jsonAnswer(STATE, "The device."), revision: true },
      example: ['curl -fu "$AUTH" "$NVRD/api/system/onvif-device"'],
    },
  },
  {
    method: "PUT",
    path: "/api/system/onvif-device",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Sets who may use the recorder as an ONVIF device",
      text: [
        "Members that are left out stay as they are. It holds at once. The passwords of users who may not any more are forgotten.",
      ],
      parameters: CHANGE_PARAMETERS,
      body: { required: true, schema: bodySchema() },
      answer: { ...jsonAnswer(STATE, "The device."), revision: true },
      errors: { 409: `There is no user of such a name. Or: ${OTHER_REVISION}` },
      example: [
        'curl -fu "$AUTH" -X PUT "$NVRD/api/system/onvif-device" --data \'{ "UserNames": ["root"], "IsAnnounced": false }\'',
      ],
    },
    /** PUT /api/system/onvif-device: who may use it. */
    async endpoint(context) {
      const input = readBody(body, context.request.body);
      const site = await editConfiguration(context, (current) => ({
        ...current,
        onvifDevice: settingsOf(input, current),
      }));
      return answerState(context.needs, site);
    },
  },
  {
    method: "DELETE",
    path: "/api/system/onvif-device",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Takes the users of the ONVIF device out of the configuration",
      text: ["Those of the settings file hold again, or the recorder is no ONVIF device any more."],
      parameters: CHANGE_PARAMETERS,
      answer: { ...jsonAnswer(STATE, "The device."), revision: true },
      errors: { 409: OTHER_REVISION },
      example: ['curl -fu "$AUTH" -X DELETE "$NVRD/api/system/onvif-device"'],
    },
    /** DELETE /api/system/onvif-device: the configuration says nothing of it any more. */
    async endpoint(context) {
      const site = await editConfiguration(context, ({ onvifDevice: _, ...rest }) => rest);
      return answerState(context.needs, site);
    },
  },
];

/** The settings with the members that are given. Throws NvrdError with all faults. */
function settingsOf(
  input: InputOf<typeof onvifDevice>,
  { onvifDevice: before, users }: Pick<Site, "onvifDevice" | "users">,
): OnvifDeviceSettings {
  const next = changed(onvifDevice, input, before ?? FIRST);
  const faults = new Faults();
  // Who was named before may have been removed since: only what is new is looked at.
  for (const [index, name] of (input.UserNames ?? []).entries())
    if (!users.some((user) => user.name === name) && before?.userNames.includes(name) !== true)
      faults.add(`UserNames[${index}]`, "there is no such user", "CONFLICT");
  faults.throwIfAny();
  return next;
}

function answerState({ onvifDevice: device }: SystemNeeds, site: Site) {
  const state: OnvifDeviceState = {
    Source: device.source,
    IsRunning: device.isRunning,
    Path: PATH,
    Users: site.users
      .filter(({ name }) => device.isFor(name))
      .map((user) => ({ Name: user.name, IsReady: device.isReady(user) })),
    Settings: site.onvifDevice === undefined ? null : shown(onvifDevice, site.onvifDevice),
  };
  return answerConfiguration(state, site);
}
