/** What texts of a broker's settings look like, in the settings file and in the configuration. */

const URL_PATTERN =
  /^mqtts?:\/\/(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::(\d{1,5}))?\/?$/;
const PORT_MAX = 65_535;
export const BROKER_URL_LENGTH_MAX = 280;
export const TOPIC_PREFIX_LENGTH_MAX = 100;

/** `mqtt://host`, `mqtts://host`, with a port or without, and no login. */
export function isBrokerUrl(text: string): boolean {
  const match = URL_PATTERN.exec(text);
  const port = Number(match?.[1] ?? 1);
  return match !== null && URL.canParse(text) && port >= 1 && port <= PORT_MAX;
}

/** Levels of a topic's name (MQTT 3.1.1, 4.7) without wildcards, and without empty ones. */
export function isTopicPrefix(text: string): boolean {
  return /^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/.test(text);
}
