import { computed, signal } from "@preact/signals";
import { requestJson } from "../state/request.js";
import { LANGUAGES, type Language, language } from "../words/language.js";
import type { EventItem } from "./event-item.js";

interface EventType {
  readonly Id: string;
  readonly Name: string;
}

type Names = Readonly<Record<Language, ReadonlyMap<string, string>>>;

/** The names of the event types in each language of the page; empty until they are read. */
const names = signal<Names>({ en: new Map(), ru: new Map() });

/** Is sent on `/event` alone; no list has it. */
const KEEP_ALIVE = "8b81fa4c-89d9-4b27-a234-709407dee294";

/** Reads the names once. */
export async function readEventNames(): Promise<void> {
  if (names.peek().en.size > 0) return;
  const [en, ru] = await Promise.all(LANGUAGES.map(namesIn));
  if (en !== undefined && ru !== undefined) names.value = { en, ru };
}

async function namesIn(name: Language): Promise<ReadonlyMap<string, string>> {
  const types = await requestJson<readonly EventType[]>(
    `/archive_event_types?responsetype=json&language=${name}`,
  );
  return new Map(types.map(({ Id, Name }) => [Id, Name]));
}

/** The types for a choice: id and name, by name. */
export const eventTypes = computed((): (readonly [string, string])[] => {
  const { compare } = new Intl.Collator(language.value);
  return [...names.value[language.value]]
    .filter(([id]) => id !== KEEP_ALIVE)
    .toSorted(([, one], [, other]) => compare(one, other));
});

/**
 * What happened, in the page's language. The recorder writes the name of the type in its own language; a text that is no such
 * name was written by whoever reported the event, and stays.
 */
export function eventTitle({ EventId, EventDescription }: EventItem): string {
  const known = LANGUAGES.map((name) => names.value[name].get(EventId));
  const own = names.value[language.value].get(EventId);
  if (EventDescription === null || EventDescription === "") return own ?? "";
  return own !== undefined && known.includes(EventDescription) ? own : EventDescription;
}
