import "./style.js";
import { useEffect, useRef } from "preact/hooks";
import { focusTitle } from "../control/focus-title.js";
import { Icon } from "../control/icon.js";
import { Loaded } from "../control/loaded.js";
import { addressOf, route } from "../state/route.js";
import { session } from "../state/session.js";
import { settingsWords } from "../words/settings/settings.js";
import { SearchField } from "./search-field.js";
import { SECTIONS, type SectionName, sectionNames, sectionOf } from "./sections.js";
import { showPlace } from "./show-place.js";

/**
 * How the recorder is set up: for administrators, a part at a time, with the list of the parts beside it. On a phone the list
 * is a level of its own.
 */
export function SettingsScreen() {
  const words = settingsWords();
  const section = useRef<HTMLDivElement>(null);
  const { parameters } = route.value;
  const shown = sectionOf(parameters);
  const wanted = parameters.get("find");
  useEffect(() => {
    if (wanted === null || section.current === null) return undefined;
    return showPlace(section.current, wanted);
  }, [shown, wanted]);
  const former = useRef(shown);
  useEffect(() => {
    if (former.current === shown) return undefined;
    former.current = shown;
    return section.current === null || wanted !== null ? undefined : focusTitle(section.current, "h2");
  }, [shown]);
  if (session.value?.IsAdministrator !== true) return <p class="quiet">{words.notAllowed}</p>;
  return (
    <div class={parameters.has("part") ? "settings of-part" : "settings"}>
      <div class="settings-side">
        <h1>{words.title}</h1>
        <SearchField />
        <nav aria-label={words.title} class="settings-parts">
          <ul>
            {sectionNames().map((name) => (
              <li key={name}>
                <SectionLink name={name} isShown={name === shown} />
              </li>
            ))}
          </ul>
        </nav>
      </div>
      <div class="settings-shown" ref={section}>
        <h1 class="settings-back">
          <a href={addressOf("settings")}>
            <Icon name="back" /> {words.title}
          </a>
        </h1>
        <Loaded key={shown} load={SECTIONS[shown]} props={{}} />
      </div>
    </div>
  );
}

function SectionLink({ name, isShown }: { readonly name: SectionName; readonly isShown: boolean }) {
  return (
    <a href={addressOf("settings", { part: name })} aria-current={isShown ? "page" : undefined}>
      {settingsWords().parts[name]}
    </a>
  );
}
