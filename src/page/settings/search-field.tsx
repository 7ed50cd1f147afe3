import { useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import { sayError } from "../control/notice.js";
import { addressOf } from "../state/route.js";
import { language } from "../words/language.js";
import { settingsWords } from "../words/settings/settings.js";
import { type SettingsIndex, settingsIndex } from "./search.js";
import { sectionNames } from "./sections.js";

/** Looks for a setting by its name, in all parts. */
export function SearchField() {
  const words = settingsWords();
  const id = useId();
  const typed = useSignal("");
  const index = useSignal<SettingsIndex | undefined>(undefined);
  const read = (): void => {
    if (index.peek() === undefined)
      settingsIndex(sectionNames()).then((one) => (index.value = one), sayError);
  };
  // The words of another language are others.
  useEffect(() => {
    index.value = undefined;
    if (typed.peek() !== "") read();
  }, [language.value]);
  const isAsked = typed.value.trim() !== "" && index.value !== undefined;
  const places = index.value?.find(typed.value) ?? [];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a search of the page is no form that is sent.
    <div class="settings-search" role="search">
      <div class="field">
        <label for={id}>{words.search}</label>
        <input
          id={id}
          type="search"
          value={typed.value}
          autocomplete="off"
          maxLength={100}
          onFocus={read}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
            read();
          }}
        />
      </div>
      <p role="status" class="hint">
        {isAsked && (places.length === 0 ? words.nothingFound : words.found(places.length))}
      </p>
      {isAsked && places.length > 0 && (
        <ul class="settings-found">
          {places.map(({ section, text }) => (
            <li key={`${section} ${text}`}>
              <a href={addressOf("settings", { part: section, find: text })}>
                <span>{text}</span> <span class="hint">{words.parts[section]}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
