import "./style.js";
import { Loaded } from "../control/loaded.js";
import { addressOf, route } from "../state/route.js";
import { session } from "../state/session.js";
import { settingsWords } from "../words/settings/settings.js";
import { SECTIONS, sectionNames, sectionOf } from "./sections.js";

/** How the recorder is set up: for administrators, a part at a time. */
export function SettingsScreen() {
  const words = settingsWords();
  if (session.value?.IsAdministrator !== true) return <p class="quiet">{words.notAllowed}</p>;
  const shown = sectionOf(route.value.parameters);
  return (
    <div class="settings">
      <h1>{words.title}</h1>
      <nav aria-label={words.title} class="settings-parts">
        <ul>
          {sectionNames().map((name) => (
            <li key={name}>
              <a
                href={addressOf("settings", { part: name })}
                aria-current={name === shown ? "page" : undefined}
                ref={name === shown ? bringIntoView : null}
              >
                {words.parts[name]}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <Loaded key={shown} load={SECTIONS[shown]} props={{}} />
    </div>
  );
}

/** On a phone the parts are one line that is longer than the screen. */
function bringIntoView(link: HTMLAnchorElement | null): void {
  link?.scrollIntoView({ block: "nearest", inline: "center" });
}
