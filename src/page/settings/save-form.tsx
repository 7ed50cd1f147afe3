import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button } from "../control/button.js";
import { errorWords, say } from "../control/notice.js";
import { commonWords } from "../words/common.js";
import { isOutdated } from "./outdated.js";

interface SaveFormProps {
  /** What is wrong with what was set; undefined where nothing is. */
  readonly fault?: () => string | undefined;
  /** Rejects with RequestError. */
  readonly onSave: () => Promise<void>;
  /** For a form in a dialog, which closes when it has saved. */
  readonly onClose?: () => void;
  /** What is said when it is saved. */
  readonly saved?: string;
  /** What is said where somebody else has changed the same meanwhile. */
  readonly outdated?: string;
  readonly children: ComponentChildren;
}

/** A form that is saved by itself; it stays open and says why where the recorder refuses. */
export function SaveForm({ fault, onSave, onClose, saved, outdated, children }: SaveFormProps) {
  const words = commonWords();
  const told = useSignal("");
  const isSaving = useSignal(false);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    told.value = fault?.() ?? "";
    if (told.value !== "" || isSaving.value) return;
    isSaving.value = true;
    try {
      await onSave();
      if (saved !== undefined) say(saved);
      onClose?.();
    } catch (error) {
      told.value = outdated !== undefined && isOutdated(error) ? outdated : errorWords(error);
    } finally {
      isSaving.value = false;
    }
  }
  return (
    <form
      class={onClose === undefined ? "card edit-form" : "edit-form"}
      noValidate
      onSubmit={(event) => void submit(event)}
    >
      {children}
      <p class="fault" role="alert">
        {told.value}
      </p>
      <div class="edit-buttons">
        <Button type="submit" kind="main" disabled={isSaving.value}>
          {words.save}
        </Button>
        {onClose !== undefined && <Button onClick={onClose}>{words.cancel}</Button>}
      </div>
    </form>
  );
}
