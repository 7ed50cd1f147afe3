import { useSignal } from "@preact/signals";
import { Button } from "../../control/button.js";
import { Check } from "../../control/check.js";
import { Dialog } from "../../control/dialog.js";
import { commonWords } from "../../words/common.js";

interface SureDialogProps {
  readonly title: string;
  readonly text: string;
  /** What has to be ticked before; without it the button is enough. */
  readonly sure?: string;
  readonly act: string;
  readonly onAct: () => void;
  readonly onClose: () => void;
}

/** Asks before something that loses recordings. */
export function SureDialog({ title, text, sure, act, onAct, onClose }: SureDialogProps) {
  const isSure = useSignal(sure === undefined);
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="edit-form">
        <p>{text}</p>
        {sure !== undefined && (
          <Check label={sure} checked={isSure.value} onChecked={(checked) => (isSure.value = checked)} />
        )}
        <div class="edit-buttons">
          <Button onClick={onClose}>{commonWords().cancel}</Button>
          <Button kind="danger" disabled={!isSure.value} onClick={onAct}>
            {act}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
