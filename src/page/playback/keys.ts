import { useMemo } from "preact/hooks";
import type { KeyBinding } from "../control/keys.js";
import { isBucket } from "../state/session.js";
import { language } from "../words/language.js";
import { playbackWords } from "../words/playback.js";
import { openGoTo } from "./time/go-to.js";
import { pan, ZOOM_FACTOR, zoom } from "./timeline/timeline.js";
import { active, cursor, heard, marked, panel } from "./watch/model.js";
import { goToMoment } from "./watch/moments.js";
import { toggleFull } from "./watch/pictures.js";
import { playing } from "./watch/playing.js";
import { changeSpeed } from "./watch/transport.js";

const SECOND = 1000;
const PAN_PART = 0.5;

/** Keys of the recordings screen, those of film editors among them. */
export function usePlaybackKeys(): readonly KeyBinding[] {
  const named = language.value;
  return useMemo(() => bindings(), [named]);
}

function bindings(): readonly KeyBinding[] {
  const words = playbackWords();
  const by = (ms: number) => () => playing.seek(cursor.peek() + ms);
  return [
    { key: " ", words: `${words.play}, ${words.pause.toLowerCase()}`, act: () => playing.toggle() },
    { key: "k", words: words.pause, act: () => playing.pause() },
    { key: "l", words: `${words.play}; ${words.faster.toLowerCase()}`, act: () => playing.shuttle(1) },
    { key: "j", words: `${words.backwards}; ${words.faster.toLowerCase()}`, act: () => playing.shuttle(-1) },
    { key: ",", words: words.stepBackwards, act: () => playing.step(-1) },
    { key: ".", words: words.stepForwards, act: () => playing.step(1) },
    { key: "ArrowLeft", words: words.back10, act: by(-10 * SECOND) },
    { key: "ArrowRight", words: words.forward10, act: by(10 * SECOND) },
    { key: "Shift+ArrowLeft", words: words.back60, act: by(-60 * SECOND) },
    { key: "Shift+ArrowRight", words: words.forward60, act: by(60 * SECOND) },
    { key: "n", words: words.nextMoment, act: () => void goToMoment(1) },
    { key: "p", words: words.previousMoment, act: () => void goToMoment(-1) },
    { key: "<", words: words.slower, act: () => changeSpeed(-1) },
    { key: ">", words: words.faster, act: () => changeSpeed(1) },
    { key: "+", words: words.zoomIn, act: () => zoom(1 / ZOOM_FACTOR) },
    { key: "-", words: words.zoomOut, act: () => zoom(ZOOM_FACTOR) },
    { key: "PageUp", words: words.later, act: () => pan(PAN_PART) },
    { key: "PageDown", words: words.earlier, act: () => pan(-PAN_PART) },
    ...(isBucket() ? [] : [{ key: "End", words: words.toLive, act: () => playing.toLive() }]),
    { key: "g", words: words.goTo, act: openGoTo },
    { key: "i", words: words.markIn, act: () => mark("from") },
    { key: "o", words: words.markOut, act: () => mark("to") },
    { key: "m", words: words.sound, act: toggleSound },
    { key: "f", words: words.full, act: toggleFull },
  ];
}

function toggleSound(): void {
  playing.hear(heard.peek() === active.peek() ? undefined : active.peek());
}

/** Marks a file's beginning or end at the moment that is shown, and opens what is done with it. */
function mark(edge: "from" | "to"): void {
  const at = Math.round(cursor.peek());
  const known = marked.peek() ?? { from: at - 60 * SECOND, to: at + 60 * SECOND };
  marked.value =
    edge === "from"
      ? { from: at, to: Math.max(known.to, at + SECOND) }
      : { from: Math.min(known.from, at - SECOND), to: at };
  panel.value = "export";
}
