import { IconButton } from "../../control/button.js";
import { Icon } from "../../control/icon.js";
import { isBucket } from "../../state/session.js";
import { playbackWords } from "../../words/playback.js";
import { ZOOM_FACTOR, zoom } from "../timeline/timeline.js";
import { isLive, isPlaying, SPEEDS, speed } from "./model.js";
import { goToMoment } from "./moments.js";
import { playing } from "./playing.js";

/** What a player has: playing, steps, speed, and how much the timeline shows. */
export function Transport() {
  const words = playbackWords();
  const plays = isPlaying.value;
  const isBackwards = speed.value < 0;
  return (
    <div class="transport" role="toolbar" aria-label={words.play}>
      <div class="transport-side">
        <SpeedChoice />
        {!isBucket() && (
          <button
            type="button"
            class="live-button"
            aria-pressed={isLive.value}
            onClick={() => playing.toLive()}
            title={words.toLive}
          >
            <i aria-hidden="true" />
            {words.live}
          </button>
        )}
      </div>
      <div class="transport-main">
        <IconButton
          icon="previousEvent"
          label={words.previousMoment}
          shortcut="P"
          onClick={() => void goToMoment(-1)}
        />
        <IconButton
          icon="stepBackwards"
          label={words.stepBackwards}
          shortcut=","
          onClick={() => playing.step(-1)}
        />
        <IconButton
          icon="reverse"
          label={words.backwards}
          shortcut="J"
          pressed={plays && isBackwards}
          onClick={() => playing.shuttle(-1)}
        />
        <button
          type="button"
          class="play-button"
          aria-label={plays ? words.pause : words.play}
          title={plays ? words.pause : words.play}
          aria-keyshortcuts="Space"
          onClick={() => playing.toggle()}
        >
          <Icon name={plays ? "pause" : "play"} />
        </button>
        <IconButton
          icon="stepForwards"
          label={words.stepForwards}
          shortcut="."
          onClick={() => playing.step(1)}
        />
        <IconButton
          icon="nextEvent"
          label={words.nextMoment}
          shortcut="N"
          onClick={() => void goToMoment(1)}
        />
      </div>
      <div class="transport-side end">
        <IconButton icon="minus" label={words.zoomOut} shortcut="-" onClick={() => zoom(ZOOM_FACTOR)} />
        <IconButton icon="add" label={words.zoomIn} shortcut="+" onClick={() => zoom(1 / ZOOM_FACTOR)} />
      </div>
    </div>
  );
}

const SPEED_SIGNS: Readonly<Record<number, string>> = { 0.25: "¼×", 0.5: "½×" };

function SpeedChoice() {
  const now = Math.abs(speed.value);
  const nearest = SPEEDS.find((one) => one >= now) ?? 1;
  return (
    <select
      class="speed"
      aria-label={playbackWords().speed}
      title={playbackWords().speed}
      value={String(nearest)}
      onChange={(event) => playing.setSpeed(Number(event.currentTarget.value) * (speed.value < 0 ? -1 : 1))}
    >
      {SPEEDS.map((one) => (
        <option key={one} value={String(one)}>
          {SPEED_SIGNS[one] ?? `${one}×`}
        </option>
      ))}
    </select>
  );
}

/** The next speed of the list, or the one before. */
export function changeSpeed(by: 1 | -1): void {
  const now = speed.peek();
  const index = SPEEDS.findIndex((one) => one >= Math.abs(now));
  const next = SPEEDS[Math.min(Math.max(index + by, 0), SPEEDS.length - 1)];
  if (next !== undefined) playing.setSpeed(next * Math.sign(now));
}
