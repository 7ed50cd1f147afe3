import { leaving } from "../state/unsaved.js";
import { commonWords } from "../words/common.js";
import { Button } from "./button.js";
import { Dialog } from "./dialog.js";

/** Asks before something that was typed and not saved is lost. */
export function LeaveQuestion() {
  const words = commonWords();
  const act = leaving.value;
  if (act === undefined) return null;
  const stay = (): void => {
    leaving.value = undefined;
  };
  return (
    <Dialog title={words.unsaved} onClose={stay}>
      <p>{words.unsavedHint}</p>
      <div class="leave-buttons">
        <Button kind="main" onClick={stay}>
          {words.stay}
        </Button>
        <Button
          onClick={() => {
            stay();
            act();
          }}
        >
          {words.leave}
        </Button>
      </div>
    </Dialog>
  );
}
