import { expect, it } from "vitest";
import { loadSettings } from "../../src/settings/settings.js";

const load = (environment: Record<string, string>) => loadSettings({ flags: {}, environment });

it("without a broker nothing of it is set but what has a default", () => {
  const { mqttUrl, mqttUser, mqttPrefix, mqttDiscoveryPrefix } = load({});
  expect({ mqttUrl, mqttUser, mqttPrefix, mqttDiscoveryPrefix }).toEqual({
    mqttUrl: undefined,
    mqttUser: undefined,
    mqttPrefix: "nvrd",
    mqttDiscoveryPrefix: "homeassistant",
  });
});

it.each([
  "mqtt://broker",
  "mqtts://broker.example.org:8884",
  "mqtt://192.0.2.7:1883/",
  "mqtts://[2001:db8::7]",
])("%s is a broker", (url) => {
  expect(load({ NVRD_MQTT_URL: url }).mqttUrl).toBe(url);
});

it.each([
  ["MQTT_URL", "http://broker"],
  ["MQTT_URL", "mqtt://user:secret@broker"],
  ["MQTT_URL", "mqtt://broker:70000"],
  ["MQTT_URL", "mqtt://broker/path"],
  ["MQTT_PREFIX", "a/+/b"],
  ["MQTT_PREFIX", "/a"],
  ["MQTT_PREFIX", "a#"],
  ["MQTT_DISCOVERY_PREFIX", "home assistant"],
])("%s = %s is refused", (name, value) => {
  const set = { NVRD_MQTT_URL: "mqtt://broker", [`NVRD_${name}`]: value };
  expect(() => load(set)).toThrow(/is not accepted/);
});

it.each([
  [{ NVRD_MQTT_LOGIN: "nvrd" }, /mqttLogin: requires mqttUrl/],
  [{ NVRD_MQTT_URL: "mqtts://broker", NVRD_MQTT_KEY_FILE: "k" }, /give both, or neither/],
  [{ NVRD_MQTT_URL: "mqtt://broker", NVRD_MQTT_CA_FILE: "ca" }, /needs mqttUrl with mqtts/],
  [{ NVRD_MQTT_URL: "mqtt://broker", NVRD_MQTT_PASSWORD_FILE: "p" }, /needs mqttLogin/],
])("%j contradicts itself", (environment, expected) => {
  expect(() => load(environment as Record<string, string>)).toThrow(expected);
});
