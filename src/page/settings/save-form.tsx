import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button } from "../control/button.js";
import { Fault } from "../control/fault.js";
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
  /** What the form calls the members that the recorder names when it refuses. */
  readonly names?: Readonly<Record<string, string>>;
  /** What is said when it is saved. */
  readonly saved?: string;
  /** What is said where somebody else has changed the same meanwhile. */
  readonly outdated?: string;
  /** Fills the form in with what the recorder has: after it is saved, and where somebody else has changed it. */
  readonly onShow?: () => void;
  readonly children: ComponentChildren;
}

/** A form that is saved by itself; it stays open and says why where the recorder refuses. */
export function SaveForm(props: SaveFormProps) {
  const { fault, onSave, onClose, names = {}, saved, outdated, onShow, children } = props;
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
      onShow?.();
      if (saved !== undefined) say(saved);
      onClose?.();
    } catch (error) {
      const isOld = outdated !== undefined && isOutdated(error);
      told.value = isOld ? outdated : inWords(errorWords(error), names);
      if (isOld) onShow?.();
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
      <Fault text={told.value} />
      <div class="edit-buttons">
        <Button type="submit" kind="main" disabled={isSaving.value}>
          {words.save}
        </Button>
        {onClose !== undefined && <Button onClick={onClose}>{words.cancel}</Button>}
      </div>
    </form>
  );
}

/** `[0].Mail.Recipients[0]: …` as the form has it, once: `To: …`. */
function inWords(refusal: string, names: Readonly<Record<string, string>>): string {
  const told = refusal.replace(
    /(?:\[\d+\]\.)?\b(?:[A-Z]\w*(?:\[\d+\])?\.)*([A-Z]\w*)(?:\[\d+\])?(?=: )/g,
    (_, member: string) => names[member] ?? member,
  );
  return [...new Set(told.split("; "))].join("; ");
}
