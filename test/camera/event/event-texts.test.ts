import { expect, it } from "vitest";
import { SystemClock } from "../../../src/base/index.js";
import { messagesOf } from "../../../src/camera/event/camera-event-message.js";
import { signalsOf } from "../../../src/camera/event/camera-event-signal.js";
import { readXml } from "../../../src/camera/xml/xml-reader.js";
import { EVENT_TEXTS, type EventText } from "../../support/camera/event-texts/event-texts.js";
import { FURTHER_EVENT_TEXTS } from "../../support/camera/event-texts/further-event-texts.js";
import { LATE_EVENT_TEXTS } from "../../support/camera/event-texts/late-event-texts.js";
import { MORE_EVENT_TEXTS } from "../../support/camera/event-texts/more-event-texts.js";
import { notificationMessage } from "../../support/camera/onvif-camera-messages.js";

const FOREVER = new AbortController().signal;

function items(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), pair.slice(at + 1).replaceAll('"', "&quot;")];
    }),
  );
}

/** What the recorder understands of a text, read as a camera sends it. */
async function signalTexts({ topic, source, data, elements, operation }: EventText): Promise<string[]> {
  const event = {
    topic,
    source: items(source),
    data: items(data),
    ...(elements !== undefined && { elements }),
    operation: operation ?? ("none" as const),
  };
  const now = new Date("2026-11-28T12:00:00Z");
  const body = Buffer.from(
    `<a xmlns:wsnt="w" xmlns:tt="t" xmlns:ttr="r" xmlns:bd="b"><b>${notificationMessage(event, now)}</b></a>`,
  );
  const clock = new SystemClock();
  const document = await readXml(body, { peer: "camera", charset: undefined, clock, signal: FOREVER });
  const [message] = messagesOf(document.at("a", "b") ?? document);
  if (message === undefined) throw new Error(`${topic} is no message`);
  const { signals = [] } = signalsOf(message) ?? {};
  const words = signals.map(({ kind, active }) =>
    active === undefined ? `${kind} now` : `${kind} ${active ? "on" : "off"}`,
  );
  return [...new Set(words)];
}

it.each(
  [...EVENT_TEXTS, ...MORE_EVENT_TEXTS, ...FURTHER_EVENT_TEXTS, ...LATE_EVENT_TEXTS].map(
    (text) => [`${text.maker}: ${text.topic} ${text.data.join(" ")}`, text] as const,
  ),
)("%s", async (_, text) => {
  expect(await signalTexts(text)).toEqual(text.signals);
});
