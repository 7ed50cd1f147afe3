import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button } from "../../control/button.js";
import { errorWords, say } from "../../control/notice.js";
import { camerasWords } from "../../words/cameras.js";
import { commonWords } from "../../words/common.js";
import { type Camera, isOutdated } from "./model.js";

interface SaveFormProps {
  readonly camera: Camera;
  /** What is wrong with what was set; undefined where nothing is. */
  readonly fault?: () => string | undefined;
  /** Rejects with RequestError. */
  readonly onSave: () => Promise<void>;
  readonly children: ComponentChildren;
}

/** A part of a camera's settings that is saved by itself; it says why where the recorder refuses. */
export function SaveForm({ camera, fault, onSave, children }: SaveFormProps) {
  const words = camerasWords();
  const told = useSignal("");
  const isSaving = useSignal(false);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    told.value = fault?.() ?? "";
    if (told.value !== "" || isSaving.value) return;
    isSaving.value = true;
    try {
      await onSave();
      say(words.saved(camera.Name));
    } catch (error) {
      told.value = isOutdated(error) ? words.changedMeanwhile : errorWords(error);
    } finally {
      isSaving.value = false;
    }
  }
  return (
    <form class="card edit-form" noValidate onSubmit={(event) => void submit(event)}>
      {children}
      <p class="fault" role="alert">
        {told.value}
      </p>
      <div class="edit-buttons">
        <Button type="submit" kind="main" disabled={isSaving.value}>
          {commonWords().save}
        </Button>
      </div>
    </form>
  );
}
