import { computed, signal } from "@preact/signals";
import { requestJson } from "../state/request.js";
import { type Language, language } from "../words/language.js";

interface EventType {
  readonly Id: string;
  readonly Name: string;
}

/** The event types with their names in a language; absent until they are read. */
const known = signal<Partial<Record<Language, readonly EventType[]>>>({});

/** Is sent on `/event` alone; no list has it. */
const KEEP_ALIVE = "8b81fa4c-89d9-4b27-a234-709407dee294";

/** Reads the names in the page's language, once. */
export async function readEventNames(): Promise<void> {
  const name = language.peek();
  if (known.peek()[name] !== undefined) return;
  const types = await requestJson<readonly EventType[]>(
    `/archive_event_types?responsetype=json&language=${name}`,
  );
  known.value = { ...known.peek(), [name]: types };
}

/** The types for a choice: id and name, by name. */
export const eventTypes = computed((): (readonly [string, string])[] => {
  const { compare } = new Intl.Collator(language.value);
  return (known.value[language.value] ?? [])
    .filter(({ Id }) => Id !== KEEP_ALIVE)
    .map(({ Id, Name }) => [Id, Name] as const)
    .toSorted(([, one], [, other]) => compare(one, other));
});
