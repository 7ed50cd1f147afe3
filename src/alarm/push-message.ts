import type { Principal } from "../access/index.js";
import { EMPTY_GUID, type Language, US_PER_MS, US_PER_SECOND } from "../base/index.js";
import { CommentWords, type EventRecord, eventNameIn, isEventName } from "../event/index.js";
import { type AlarmMessage, oneLine } from "./alarm-message.js";

/** So long before the event its recording is played from. */
const BEFORE_US = 5 * US_PER_SECOND;
const PICTURE_WIDTH = 480;
/** A push service takes 4096 bytes, encrypted; a letter may be four of them. */
const TITLE_LENGTH_MAX = 120;
const BODY_LENGTH_MAX = 400;
const COMMENTS = new CommentWords();

const WORDS = {
  en: {
    test: "Messages of this recorder arrive here",
    testBody: "This is a test. Nothing has happened.",
    more: (count: number) => `and ${count} more`,
    omitted: (count: number) => `${count} could not be told: see the events`,
  },
  ru: {
    test: "Сообщения этого регистратора приходят сюда",
    testBody: "Это проверка. Ничего не случилось.",
    more: (count: number) => `и ещё ${count}`,
    omitted: (count: number) => `Не удалось сообщить: ${count}. Они есть в событиях`,
  },
} as const satisfies Readonly<Record<Language, unknown>>;

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
  const words = WORDS[language];
  const about = { Tag: message.id, Language: language };
  const event = mostUrgent(message.events);
  if (event === undefined) {
    const Title = cut(message.isTest ? words.test : words.omitted(message.omittedEvents), TITLE_LENGTH_MAX);
    const Body = cut(
      message.isTest ? `${message.server.name}. ${words.testBody}` : message.server.name,
      BODY_LENGTH_MAX,
    );
    return { ...about, Title, Body, Time: isoTime(message.sentUs), Url: "/#/events", Picture: null };
  }
  const others = message.events.length - 1 + message.omittedEvents;
  const name = isEventName(event.typeId, event.description)
    ? eventNameIn(event.typeId, language)
    : event.description;
  const body = [
    event.channelName,
    localTime(event.timeUs, language),
    COMMENTS.of(event, language),
    others > 0 ? words.more(others) : "",
  ];
  const isRecorded = event.channelId !== EMPTY_GUID && principal.mayWatchArchive(event.channelId);
  return {
    ...about,
    Title: cut(name, TITLE_LENGTH_MAX),
    Body: cut(body.filter((part) => part !== "").join(" · "), BODY_LENGTH_MAX),
    Time: isoTime(event.timeUs),
    Url: isRecorded ? playAddress(event) : "/#/events",
    Picture: isRecorded ? pictureAddress(event) : null,
  };
}

/** The first of the worst ones: what somebody opens the message for. */
function mostUrgent(events: readonly EventRecord[]): EventRecord | undefined {
  const worst = Math.max(...events.map(({ category }) => category));
  return events.find(({ category }) => category === worst);
}

function playAddress({ channelId, timeUs }: EventRecord): string {
  const time = String(Math.floor((timeUs - BEFORE_US) / US_PER_MS));
  return `/#/playback?${new URLSearchParams({ channel: channelId, time, play: "1" })}`;
}

function pictureAddress({ channelId, timeUs }: EventRecord): string {
  const starttime = isoTime(timeUs).slice(0, 23).replace("T", " ");
  const resolutionx = String(PICTURE_WIDTH);
  return `/site?${new URLSearchParams({ channelid: channelId, mode: "archive", starttime, resolutionx })}`;
}

function isoTime(timeUs: number): string {
  return new Date(timeUs / US_PER_MS).toISOString();
}

function localTime(timeUs: number, language: Language): string {
  const format = {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  } as const;
  return new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, format).format(timeUs / US_PER_MS);
}

function cut(text: string, lengthMax: number): string {
  const line = oneLine(text).trim();
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax - 1)}…`;
}
