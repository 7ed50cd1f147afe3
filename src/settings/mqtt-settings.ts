import { broker, brokerUrlRule, isBrokerUrl, isTopicPrefix, topicPrefixRule } from "../contract/index.js";
import { define } from "./definition.js";
import { filePath, textWhere } from "./values.js";

/** The settings of the MQTT broker. */

const NAME_LENGTH_MAX = broker.Login.max;

const brokerUrl = textWhere(brokerUrlRule.accepted, { lengthMax: broker.Url.max, accept: isBrokerUrl });
const topicPrefix = textWhere(topicPrefixRule.accepted, {
  lengthMax: broker.Prefix.max,
  accept: isTopicPrefix,
});
const name = textWhere(`a name, at most ${NAME_LENGTH_MAX} characters`, {
  lengthMax: NAME_LENGTH_MAX,
  accept: (text) => text !== "",
});

export const MQTT_SETTING_DEFINITIONS = {
  mqttUrl: define<string | undefined>({
    kind: brokerUrl,
    fallback: undefined,
    fallbackText: "none: MQTT is off",
    description:
      "The MQTT broker to which states, events and pictures are published, also for Home Assistant. `mqtts` is MQTT over TLS. " +
      "See the [guide](../guide/home-assistant.md).",
  }),
  mqttUser: define<string | undefined>({
    kind: name,
    fallback: undefined,
    fallbackText: "none: everything is published, and no command is accepted",
    description:
      "The user of the configuration for whom the recorder acts at the broker: only what this user may see is published, and " +
      "commands are carried out with this user's rights and under this name in the event log. Whoever may publish at the " +
      "broker may command.",
  }),
  mqttLogin: define<string | undefined>({
    kind: name,
    fallback: undefined,
    fallbackText: "none; the broker asks for no login",
    description: "The name that the recorder logs in with at the broker.",
  }),
  mqttPasswordFile: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "none; under systemd the credential `nvrd.mqtt-password`, if there is `mqttLogin`",
    description: "File with the password of `mqttLogin`, one line. Read again for each connection.",
  }),
  mqttCaFile: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "the certificate authorities of Node.js",
    description:
      "Certificates that are accepted as issuers of the broker's certificate, PEM. Read again for each connection.",
  }),
  mqttCertificateFile: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "none; the broker asks for no client certificate",
    description:
      "Client certificate for the broker, PEM. Requires `mqttKeyFile`. Read again for each connection.",
  }),
  mqttKeyFile: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "none; required with `mqttCertificateFile`",
    description: "Private key of `mqttCertificateFile`, PEM.",
  }),
  mqttPrefix: define<string>({
    kind: topicPrefix,
    fallback: broker.Prefix.default,
    description:
      "Beginning of all topics. The recorder's id follows it, so that several recorders share a broker.",
  }),
  mqttDiscoveryPrefix: define<string>({
    kind: textWhere(`${topicPrefix.accepts}; off: nothing is published for Home Assistant`, {
      lengthMax: broker.DiscoveryPrefix.max,
      accept: (text) => topicPrefix.read(text) !== undefined,
    }),
    fallback: broker.DiscoveryPrefix.default,
    description: "Beginning of the topics in which Home Assistant looks for devices.",
  }),
} as const;

type MqttSettingName = keyof typeof MQTT_SETTING_DEFINITIONS;
export const MQTT_PATH_SETTINGS = [
  "mqttPasswordFile",
  "mqttCaFile",
  "mqttCertificateFile",
  "mqttKeyFile",
] as const satisfies readonly MqttSettingName[];

/** Contradictions between the settings, as sentences; `given` returns what was given. */
export function mqttProblems(given: (name: MqttSettingName) => unknown): string[] {
  const has = (name: MqttSettingName): boolean => given(name) !== undefined;
  const problems: string[] = [];
  const names = Object.keys(MQTT_SETTING_DEFINITIONS) as MqttSettingName[];
  const first = names.find((name) => name !== "mqttUrl" && has(name));
  if (!has("mqttUrl")) return first === undefined ? [] : [`${first}: requires mqttUrl, which is missing`];
  if (has("mqttCertificateFile") !== has("mqttKeyFile"))
    problems.push("mqttCertificateFile, mqttKeyFile: give both, or neither");
  if (has("mqttPasswordFile") && !has("mqttLogin")) problems.push("mqttPasswordFile: needs mqttLogin");
  const forTls = (["mqttCaFile", "mqttCertificateFile"] as const).find(has);
  if (forTls !== undefined && !String(given("mqttUrl")).startsWith("mqtts:"))
    problems.push(`${forTls}: needs mqttUrl with mqtts://`);
  return problems;
}
