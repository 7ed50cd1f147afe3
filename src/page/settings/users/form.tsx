import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button } from "../../control/button.js";
import { errorWords, say } from "../../control/notice.js";
import { commonWords } from "../../words/common.js";
import { usersWords } from "../../words/users.js";
import { isOutdated, readEverybody } from "./model.js";

interface EditFormProps {
  /** What is wrong with what was typed; undefined where nothing is. */
  readonly fault: () => string | undefined;
  /** Rejects with RequestError. */
  readonly onSave: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A form that saves, shows everybody anew, and closes; it stays open where the recorder refuses. */
export function EditForm({ fault, onSave, onClose, children }: EditFormProps) {
  const words = commonWords();
  const told = useSignal("");
  const isSaving = useSignal(false);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    told.value = fault() ?? "";
    if (told.value !== "" || isSaving.value) return;
    isSaving.value = true;
    try {
      await saved(onSave);
      onClose();
    } catch (error) {
      told.value = errorWords(error);
    } finally {
      isSaving.value = false;
    }
  }
  return (
    <form class="edit-form" noValidate onSubmit={(event) => void submit(event)}>
      {children}
      <p class="fault" role="alert">
        {told.value}
      </p>
      <div class="edit-buttons">
        <Button type="submit" kind="main" disabled={isSaving.value}>
          {words.save}
        </Button>
        <Button onClick={onClose}>{words.cancel}</Button>
      </div>
    </form>
  );
}

/** Runs a change, and reads everybody anew whether it succeeds or not. */
export async function saved(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!isOutdated(error)) throw error;
    say(usersWords().changedMeanwhile, true);
  } finally {
    await readEverybody();
  }
}

interface RemoveButtonProps {
  readonly words: string;
  /** What is removed, for the second press. */
  readonly name: string;
  readonly onRemove: () => Promise<void>;
}

/** Removes at the second press: the first one says what is lost. */
export function RemoveButton({ words, name, onRemove }: RemoveButtonProps) {
  const isSure = useSignal(false);
  return (
    <Button
      kind="danger"
      onClick={() => {
        if (isSure.value) void onRemove();
        isSure.value = true;
      }}
    >
      {isSure.value ? usersWords().removeSure(name) : words}
    </Button>
  );
}
