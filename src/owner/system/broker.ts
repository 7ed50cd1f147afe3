import { errorText, formatIsoTime } from "../../base/index.js";
import { type BrokerState, type BrokerTrial, brokerState, brokerTrial } from "../../contract/answer/index.js";
import { broker, shown } from "../../contract/index.js";
import {
  answerConfiguration,
  answerJson,
  CHANGE_PARAMETERS,
  editConfiguration,
  jsonAnswer,
  OTHER_REVISION,
  type Route,
  readBody,
  schemaOf,
  untilGone,
} from "../../route/index.js";
import type { Site } from "../../site/index.js";
import { brokerBody, brokerOf, brokerSchema } from "./broker-settings.js";
import type { SystemNeeds } from "./states.js";

const STATE = schemaOf(brokerState, { Settings: brokerSchema() });
const TRIED_CONFLICT =
  "There is no `Url` yet, `UserName` is nobody's, or the password is for another broker.";

export const BROKER_ROUTES: readonly Route<SystemNeeds>[] = [
  {
    method: "GET",
    path: "/api/system/broker",
    login: "administrator",
    endpoint: ({ needs }) => answerState(needs, needs.site.current),
    describe: {
      topic: "system",
      summary: "Shows the MQTT broker, and whether the recorder is connected to it",
      text: [
        "An addition of nvrd's. The broker is set here, or in the [settings](settings.md#mqtturl) of the service: see the [guide](../guide/home-assistant.md).",
      ],
      answer: { ...jsonAnswer(STATE, "The broker."), revision: true },
      example: ['curl -fu "$AUTH" "$NVRD/api/system/broker"'],
    },
  },
  {
    method: "PUT",
    path: "/api/system/broker",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Sets the MQTT broker",
      text: [
        "Members that are left out stay as they are. It holds at once: the recorder leaves the former broker, and connects to this one. The change is in the [history](#get-apisystemconfigurationhistory) and an [event](events.md) `configurationChanged`, both without values.",
      ],
      parameters: CHANGE_PARAMETERS,
      body: { required: true, schema: brokerSchema() },
      answer: { ...jsonAnswer(STATE, "The broker."), revision: true },
      errors: { 409: `${TRIED_CONFLICT} Or: ${OTHER_REVISION}` },
      example: [
        'curl -fu "$AUTH" -X PUT "$NVRD/api/system/broker" --data \'{',
        '  "Url": "mqtt://broker.example", "Login": "nvrd", "Password": "its password" }\'',
      ],
    },
    /** PUT /api/system/broker: the configuration's own broker. */
    async endpoint(context) {
      const input = readBody(brokerBody, context.request.body);
      const site = await editConfiguration(context, (current) => ({
        ...current,
        broker: brokerOf(input, current),
      }));
      return answerState(context.needs, site);
    },
  },
  {
    method: "DELETE",
    path: "/api/system/broker",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Takes the MQTT broker out of the configuration",
      text: ["That of the settings file holds again, or nothing is published any more."],
      parameters: CHANGE_PARAMETERS,
      answer: { ...jsonAnswer(STATE, "The broker."), revision: true },
      errors: { 409: OTHER_REVISION },
      example: ['curl -fu "$AUTH" -X DELETE "$NVRD/api/system/broker"'],
    },
    /** DELETE /api/system/broker: the configuration says nothing of a broker any more. */
    async endpoint(context) {
      const site = await editConfiguration(context, ({ broker: _, ...rest }) => rest);
      return answerState(context.needs, site);
    },
  },
  {
    method: "POST",
    path: "/api/system/broker/test",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Tries an MQTT broker, and says how it went",
      text: [
        "An addition of nvrd's. The recorder logs in, asks for a subscription, and leaves: nothing is published, and nothing is changed. Members that are left out are those of the configuration.",
      ],
      body: { required: true, schema: brokerSchema() },
      answer: jsonAnswer(schemaOf(brokerTrial), "How it went."),
      errors: { 409: TRIED_CONFLICT },
      example: [
        'curl -fu "$AUTH" "$NVRD/api/system/broker/test" --data \'{',
        '  "Url": "mqtt://broker.example", "Login": "nvrd", "Password": "its password" }\'',
      ],
    },
    /** POST /api/system/broker/test: a login at a broker, for an administrator who sets it up. */
    async endpoint(context) {
      const { needs, request, principal, log } = context;
      const tried = brokerOf(readBody(brokerBody, request.body), needs.site.current);
      const problem = await needs.broker.try(tried, untilGone(context)).then(
        () => null,
        (error: unknown) => errorText(error),
      );
      log.info({ user: principal.user.name, broker: tried.url, problem }, "an MQTT broker is tried");
      return answerJson<BrokerTrial>({ IsAccepted: problem === null, Problem: problem });
    },
  },
];

function answerState({ broker: used }: SystemNeeds, site: Site) {
  const { health } = used;
  const state: BrokerState = {
    Source: used.source,
    Url: health?.broker ?? null,
    IsConnected: health?.isConnected === true,
    Since: health === undefined ? null : formatIsoTime(health.sinceUs),
    Problem: health?.problem ?? null,
    Settings: site.broker === undefined ? null : shown(broker, site.broker),
    SettingsFileUrl: used.urlOfFile ?? null,
  };
  return answerConfiguration(state, site);
}
