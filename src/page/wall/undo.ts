import { say } from "../control/notice.js";
import { commonWords } from "../words/common.js";
import { wallWords } from "../words/wall.js";
import { isLastChange, undo } from "./wall-state.js";

/** Brings back the wall before the last change, and says so. */
export function sayUndone(): void {
  say(undo() ? wallWords().undone : wallWords().nothingToUndo);
}

/** Says what the last change took away, with a button that brings it back, while no other change has come after it. */
export function sayUndo(text: string): void {
  say(text, { action: { words: commonWords().undo, act: () => void undo(), isOffered: isLastChange() } });
}
