import { useSignal } from "@preact/signals";
import { Button } from "../control/button.js";
import { Dialog } from "../control/dialog.js";
import { Fault } from "../control/fault.js";
import { Field } from "../control/field.js";
import { errorWords, say, sayError } from "../control/notice.js";
import { commonWords } from "../words/common.js";
import { wallWords } from "../words/wall.js";
import { removeSavedWall, saveWall } from "./save-wall.js";
import { removing, type SavedWall, savedWalls, saving } from "./saved-walls.js";
import { wall } from "./wall-state.js";

/** Questions about saved walls. */
export function WallDialogs() {
  const current = savedWalls.value?.find(({ Id }) => Id === wall.value.viewId);
  return (
    <>
      {saving.value && <SaveDialog suggested={current?.Name ?? ""} />}
      {removing.value !== undefined && <RemoveDialog view={removing.value} />}
    </>
  );
}

function SaveDialog({ suggested }: { readonly suggested: string }) {
  const words = wallWords();
  const name = useSignal(suggested);
  const fault = useSignal("");
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    try {
      await saveWall(name.value.trim());
      say(words.saved(name.value.trim()));
      saving.value = false;
    } catch (error) {
      fault.value = errorWords(error);
    }
  }
  return (
    <Dialog title={words.saveTitle} onClose={() => (saving.value = false)}>
      <form class="dialog-form" onSubmit={(event) => void submit(event)}>
        <Field label={words.saveName} hint={words.saveHint} text={name} maxLength={128} required autofocus />
        <Fault text={fault.value} />
        <Button type="submit" kind="main">
          {commonWords().save}
        </Button>
      </form>
    </Dialog>
  );
}

function RemoveDialog({ view }: { readonly view: SavedWall }) {
  const words = wallWords();
  const close = (): void => {
    removing.value = undefined;
  };
  const remove = (): void => {
    close();
    removeSavedWall(view.Id).then(() => say(words.removed(view.Name)), sayError);
  };
  return (
    <Dialog title={words.removeWall(view.Name)} onClose={close}>
      <div class="dialog-form">
        <p>{words.removeQuestion(view.Name)}</p>
        <div class="dialog-buttons">
          <Button onClick={close}>{commonWords().cancel}</Button>
          <Button kind="danger" onClick={remove}>
            {commonWords().remove}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
