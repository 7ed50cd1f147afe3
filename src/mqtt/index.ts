/**
 * mqtt: the recorder at an MQTT broker, and as devices of Home Assistant.
 *
 * Belongs here: the connection and what is done when it fails, topics and payloads, what waits for the broker, commands from
 * it. The client library is loaded by the first connection.
 * Does not belong here: the settings (`settings`), whose rights count (`service`), what an event looks like (`compat`, `owner`), making
 * pictures (`picture`).
 */
export type { BrokerSettings } from "./broker-settings.js";
export { tryBroker } from "./broker-trial.js";
export type { MqttActor } from "./mqtt-actor.js";
export { MqttBridge, type MqttRecording, type MqttSettings } from "./mqtt-bridge.js";
