import {
  type AlarmMessage,
  alarmSender,
  WEBHOOK_REACH_ANY,
  WEBHOOK_REACH_PUBLIC,
} from "../../../src/alarm/index.js";
import { createLog, EMPTY_GUID, type Language, newGuid } from "../../../src/base/index.js";
import { EVENT_TYPES, type EventRecord, type EventTypeName } from "../../../src/event/index.js";
import type { AlarmDelivery, AlarmTarget } from "../../../src/site/index.js";
import { SimulatedClock } from "../base/simulated-clock.js";

const START_US = Date.UTC(2024, 0, 1) * 1000;

/** An event of the log. */
export function alarmEvent(
  sequence: number,
  event: Partial<EventRecord> & { type?: EventTypeName } = {},
): EventRecord {
  const { type = "cameraLost", ...rest } = event;
  const { id, name, category } = EVENT_TYPES[type];
  return {
    sequence,
    typeId: id,
    timeUs: START_US + sequence * 1_000_000,
    channelId: EMPTY_GUID,
    channelName: "",
    comment: "",
    description: name,
    category,
    initiator: { type: 0, id: EMPTY_GUID, name: "System" },
    fields: undefined,
    ...rest,
  };
}

export function alarmMessage(message: Partial<AlarmMessage> = {}): AlarmMessage {
  return {
    id: newGuid(),
    server: { id: newGuid(), name: "Cupboard" },
    target: "Owner",
    sentUs: START_US,
    isTest: false,
    events: [alarmEvent(1, { channelName: "Gate", comment: "no answer" })],
    omittedEvents: 0,
    ...message,
  };
}

export const WEBHOOK: AlarmDelivery = { kind: "webhook", url: "http://alarms.example/hook", secret: "" };

export function alarmTarget(target: Partial<AlarmTarget> = {}): AlarmTarget {
  return {
    id: newGuid(),
    name: "Owner",
    isEnabled: true,
    events: "errors",
    channelIds: "all",
    isToldOfRecorder: true,
    perHourMax: 60,
    delivery: WEBHOOK,
    ...target,
  };
}

const SENDING = {
  language: (): Language => "en",
  pictureOf: undefined,
  clock: new SimulatedClock(),
  log: createLog({ level: "silent" }),
} as const;
export const sendAlarm = alarmSender({ ...SENDING, reach: WEBHOOK_REACH_ANY });
/** With webhooks to hosts of the internet alone. */
export const sendAlarmPublicly = alarmSender({ ...SENDING, reach: WEBHOOK_REACH_PUBLIC });

/** Lets what is ready run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}
