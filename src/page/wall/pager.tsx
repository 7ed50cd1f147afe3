import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { IconButton } from "../control/button.js";
import { wallWords } from "../words/wall.js";
import { dragged } from "./drag.js";
import { enlarged, goToPage, heard, isEditing, listIsOpen, piloted, wall } from "./wall-state.js";

/** The pages of a wall that has more cameras than tiles; by themselves one after the other, where that was chosen. */
export function Pager() {
  const words = wallWords();
  const isPaused = useSignal(false);
  const { page, pages, rotationS } = wall.value;
  useRotation(isPaused.value);
  if (pages < 2) return null;
  return (
    <div class="pager">
      <IconButton
        icon="back"
        label={words.keys.previousPage}
        shortcut="PageUp"
        onClick={() => goToPage(page - 1)}
      />
      <p>
        <span class="only-read">{words.page(page + 1, pages)}</span>
        <span aria-hidden="true">
          {page + 1} / {pages}
        </span>
      </p>
      <IconButton
        icon="forward"
        label={words.keys.nextPage}
        shortcut="PageDown"
        onClick={() => goToPage(page + 1)}
      />
      {rotationS > 0 && (
        <IconButton
          icon="rotate"
          label={words.rotates(rotationS)}
          pressed={!isPaused.value}
          onClick={() => (isPaused.value = !isPaused.value)}
        />
      )}
    </div>
  );
}

/** Goes to the next page after the wall's seconds, unless somebody does something with what is shown. */
function useRotation(isPaused: boolean): void {
  const { page, pages, rotationS, viewId, source } = wall.value;
  const isUsed =
    enlarged.value !== undefined ||
    piloted.value !== undefined ||
    heard.value !== undefined ||
    dragged.value !== undefined ||
    isEditing.value ||
    listIsOpen.value;
  const goesOn = rotationS > 0 && pages > 1 && !isPaused && !isUsed;
  useEffect(() => {
    if (!goesOn) return;
    const timer = setTimeout(() => goToPage(page + 1), rotationS * 1000);
    return () => clearTimeout(timer);
  }, [goesOn, rotationS, page, viewId, source]);
}
