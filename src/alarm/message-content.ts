import { EMPTY_GUID, type Language, US_PER_MS, US_PER_SECOND } from "../base/index.js";
import { CommentWords, type EventRecord, eventNameIn, isEventName } from "../event/index.js";
import { type AlarmMessage, oneLine } from "./alarm-message.js";

/** So long before the event its recording is played from. */
const BEFORE_US = 5 * US_PER_SECOND;
const COMMENTS = new CommentWords();

const WORDS = {
  en: {
    test: "Messages of this recorder arrive here",
    testBody: "This is a test. Nothing has happened.",
    more: (count: number) => `and ${count} more`,
    omitted: (count: number) => `${count} were left out: see the events`,
  },
  ru: {
    test: "Сообщения этого регистратора приходят сюда",
    testBody: "Это проверка. Ничего не случилось.",
    more: (count: number) => `и ещё ${count}`,
    omitted: (count: number) => `Не удалось сообщить: ${count}. Они есть в событиях`,
  },
} as const satisfies Readonly<Record<Language, unknown>>;

/** A message's events at a glance. */
export interface MessageContent {
  readonly title: string;
  /** Camera, time, comment, and how many more there are; none is empty. */
  readonly lines: readonly string[];
  /** The event shown; undefined: a test, or only omitted events. */
  readonly event: EventRecord | undefined;
}

export function messageContent(message: AlarmMessage, language: Language): MessageContent {
  const words = WORDS[language];
  const event = mostUrgent(message.events);
  if (event === undefined) {
    const { name } = message.server;
    const title = message.isTest ? words.test : words.omitted(message.omittedEvents);
    return { title, lines: [message.isTest ? `${name}. ${words.testBody}` : name], event };
  }
  const others = message.events.length - 1 + message.omittedEvents;
  const name = isEventName(event.typeId, event.description)
    ? eventNameIn(event.typeId, language)
    : event.description;
  const lines = [
    event.channelName,
    localTime(event.timeUs, language),
    COMMENTS.of(event, language),
    others > 0 ? words.more(others) : "",
  ];
  return { title: name, lines: lines.filter((line) => line !== ""), event };
}

/** Behind the address of the page: what a message of the event opens. */
export function momentAddress({ channelId, timeUs }: EventRecord): string {
  if (channelId === EMPTY_GUID) return "#/events";
  const time = String(Math.floor((timeUs - BEFORE_US) / US_PER_MS));
  return `#/playback?${new URLSearchParams({ channel: channelId, time, play: "1" })}`;
}

/** The text in one line of at most so many characters. */
export function cut(text: string, lengthMax: number): string {
  const line = oneLine(text).trim();
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax - 1)}…`;
}

/** The first of the worst ones: what somebody opens the message for. */
function mostUrgent(events: readonly EventRecord[]): EventRecord | undefined {
  const worst = Math.max(...events.map(({ category }) => category));
  return events.find(({ category }) => category === worst);
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
