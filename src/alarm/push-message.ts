import type { Principal } from "../access/index.js";
import { EMPTY_GUID, type Guid, type Language, US_PER_MS } from "../base/index.js";
import { EVENT_KINDS, EVENT_TYPES, type EventRecord, seenTypes } from "../event/index.js";
import type { AlarmMessage } from "./alarm-message.js";
import { cut, messageContent, momentAddress } from "./message-content.js";

const PICTURE_WIDTH = 480;
/** A push service takes 4096 bytes, encrypted; a letter may be four of them. */
const TITLE_LENGTH_MAX = 120;
const BODY_LENGTH_MAX = 400;
/** What the page's service worker shows; docs/ref/push.md. */
export interface PushMessage {
  readonly Title: string;
  readonly Body: string;
  /** The same in each attempt: a message that comes twice is shown once. */
  readonly Tag: string;
  /** ISO time of the event. */
  readonly Time: string;
  readonly Language: Language;
  /** On the recorder: what a click opens. */
  readonly Url: string;
  /** On the recorder: a picture of the event, for who is logged in; null: there is none. */
  readonly Picture: string | null;
}

/** A message for one user: of events that the user may see. */
export function pushMessage(message: AlarmMessage, language: Language, principal: Principal): PushMessage {
  const { title, lines, event } = messageContent(message, language);
  const isRecorded = event !== undefined && event.channelId !== EMPTY_GUID;
  const isShown = isRecorded && principal.mayWatchArchive(event.channelId);
  return {
    ...{ Tag: message.id, Language: language },
    Title: cut(title, TITLE_LENGTH_MAX),
    Body: cut(lines.join(" · "), BODY_LENGTH_MAX),
    Time: isoTime(event?.timeUs ?? message.sentUs),
    Url: isShown
      ? `/${SEEN_TYPES.has(event.typeId) ? reviewAddress(event) : momentAddress(event)}`
      : "/#/events",
    Picture: isShown ? pictureAddress(event) : null,
  };
}

/** Events of what was seen: there is a card of it. */
const SEEN_TYPES: ReadonlySet<Guid> = new Set<Guid>([
  ...EVENT_KINDS.map((kind) => seenTypes(kind)[0]),
  EVENT_TYPES.motionDetected.id,
  EVENT_TYPES.objectDetected.id,
]);

/** The list of what happened at the camera, at the card of the event. */
function reviewAddress({ channelId, timeUs }: EventRecord): string {
  const time = String(Math.floor(timeUs / US_PER_MS));
  return `#/review?${new URLSearchParams({ camera: channelId, time })}`;
}

function pictureAddress({ channelId, timeUs }: EventRecord): string {
  const starttime = isoTime(timeUs).slice(0, 23).replace("T", " ");
  const resolutionx = String(PICTURE_WIDTH);
  return `/site?${new URLSearchParams({ channelid: channelId, mode: "archive", starttime, resolutionx })}`;
}

function isoTime(timeUs: number): string {
  return new Date(timeUs / US_PER_MS).toISOString();
}
