import { useId } from "preact/hooks";
import { Icon } from "../../control/icon.js";
import { playbackWords } from "../../words/playback.js";
import { CAMERAS_MAX, choose, chosen, nameOf, recordedChannels } from "./model.js";

/** Which cameras are shown: a button that says it, and a list to choose from. */
export function CameraChoice() {
  const words = playbackWords();
  const id = useId();
  const [first, ...others] = chosen.value;
  return (
    <>
      <button type="button" class="button chooser" popovertarget={id}>
        <Icon name="grid" />
        <span class="only-read">{words.chooseCameras}: </span>
        <span class="chooser-text">{first === undefined ? "–" : nameOf(first)}</span>
        {others.length > 0 && <span class="chooser-more">+{others.length}</span>}
        <Icon name="arrowDown" />
      </button>
      <fieldset id={id} popover="auto" class="recordings-popover camera-choice">
        <legend class="only-read">{words.chooseCameras}</legend>
        <ul>
          {recordedChannels.value.map(({ Id, Name }) => (
            <li key={Id}>
              <label>
                <input
                  type="checkbox"
                  checked={chosen.value.includes(Id)}
                  disabled={!chosen.value.includes(Id) && chosen.value.length >= CAMERAS_MAX}
                  onChange={(event) => toggle(Id, event.currentTarget.checked)}
                />
                <span>{Name}</span>
              </label>
            </li>
          ))}
        </ul>
        {recordedChannels.value.length > CAMERAS_MAX && <p class="hint">{words.camerasMost(CAMERAS_MAX)}</p>}
      </fieldset>
    </>
  );
}

function toggle(id: string, isChosen: boolean): void {
  choose(isChosen ? [...chosen.peek(), id] : chosen.peek().filter((other) => other !== id));
}
