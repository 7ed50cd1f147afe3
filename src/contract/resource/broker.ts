import {
  by,
  flag,
  type Line,
  line,
  NAME_LENGTH_MAX,
  needed,
  secret,
  type TextRule,
  unsaid,
} from "../kinds/kinds.js";
import {
  BROKER_URL_LENGTH_MAX,
  isBrokerUrl,
  isTopicPrefix,
  TOPIC_PREFIX_LENGTH_MAX,
} from "../kinds/mqtt-forms.js";
import { certificates, orEmptyRule } from "../kinds/rules.js";
import type { TextsOf } from "../kinds/texts.js";
import { PASSWORD_LENGTH_MAX } from "./user.js";

/** The MQTT broker: `/api/system/broker`, and the settings of the process. */

const LOGIN_LENGTH_MAX = 256;

export const brokerUrlRule: TextRule = {
  accepted: "mqtt://host or mqtts://host, with :port if it is not 1883 or 8883; no login",
  check: isBrokerUrl,
  said: "^mqtts?://[a-z0-9]{1,63}(?::[1-9]\\d{0,3})?$",
};
export const topicPrefixRule: TextRule = {
  accepted: "levels of letters, digits, dashes and underscores, with / between them",
  check: isTopicPrefix,
  said: "^[A-Za-z0-9_-]{1,30}$",
};
const prefix = (...rules: readonly TextRule[]): Line => line(TOPIC_PREFIX_LENGTH_MAX, ...rules);

export const broker = {
  /** False: nothing is published, whatever the settings file says. */
  IsEnabled: by(flag, true),
  Url: needed(line(BROKER_URL_LENGTH_MAX, brokerUrlRule)),
  Authority: unsaid(certificates, ""),
  Login: by(line(LOGIN_LENGTH_MAX), ""),
  Password: secret(by(line(PASSWORD_LENGTH_MAX), "")),
  /** The name of the user for whom the recorder acts; empty: nobody. */
  UserName: by(line(NAME_LENGTH_MAX), ""),
  Prefix: by(prefix(topicPrefixRule), "nvrd"),
  /** Home Assistant's; empty: nothing is published for it. */
  DiscoveryPrefix: by(prefix(orEmptyRule(topicPrefixRule)), "homeassistant"),
} as const;

export const brokerTexts: TextsOf<typeof broker> = {
  IsEnabled: "False: nothing is published, whatever the settings file says.",
  Url: "Required where there is none yet: `mqtt://host` or, over TLS, `mqtts://host`, with a port if it is not 1883 or 8883; no login.",
  Authority:
    "Certificates (PEM) of the only authorities that are trusted for `mqtts`. Empty: the usual ones.",
  Login: "The name that the recorder logs in with at the broker. Empty: none.",
  Password:
    "Its password. Null in answers. Null, absent or empty: unchanged, which is refused with 409 where scheme, host or port of `Url`, `Authority` or `Login` becomes another one.",
  UserName:
    "The user for whom the recorder acts at the broker: only what this user may see is published, and commands are carried out with this user's rights. Whoever may publish at the broker may command. Empty: everything is published, and no command is accepted.",
  Prefix:
    "Beginning of all [topics](mqtt.md). The recorder's id follows it, so that several recorders share a broker.",
  DiscoveryPrefix:
    "Beginning of the topics in which Home Assistant looks for devices. Empty: none are published.",
};
