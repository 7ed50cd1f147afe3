import { choice, flag, group, meaning, nullable, text, time, type ValueOf } from "../kinds/kinds.js";
import { broker } from "../resource/broker.js";

/** The MQTT broker, and a try of one: `/api/system/broker`. */

export const brokerState = group({
  Source: meaning(
    "Who says which broker it is: the configuration counts where it says anything, else the settings file.",
    choice("Configuration", "SettingsFile", "None"),
  ),
  Url: meaning("The broker that is used now; null: none.", nullable(text)),
  IsConnected: meaning("Whether the broker has accepted the recorder.", flag),
  Since: meaning("Since when that is so; null without a broker.", nullable(time)),
  Problem: meaning("Why it is not connected, in words; null: it is, or there is no broker.", nullable(text)),
  Settings: meaning("What the configuration says; null: nothing.", nullable(group(broker))),
  SettingsFileUrl: meaning(
    "The broker of the [settings file](settings.md#mqtturl), which holds where the configuration says nothing.",
    nullable(text),
  ),
});
export type BrokerState = ValueOf<typeof brokerState>;

export const brokerTrial = group({
  IsAccepted: meaning("Whether the broker has accepted the login, and a subscription.", flag),
  Problem: meaning("Why not, in words; null: it has.", nullable(text)),
});
export type BrokerTrial = ValueOf<typeof brokerTrial>;
