import { useSignal } from "@preact/signals";
import type { Disk } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { Dialog } from "../../control/dialog.js";
import { commonWords } from "../../words/common.js";
import { disksWords } from "../../words/disks.js";
import { diskTitle } from "./disk-words.js";
import { eraseBody, holdingOf } from "./disks.js";

interface EraseDialogProps {
  readonly disk: Disk;
  readonly onClose: () => void;
  /** What the disk is for; default: new recordings. */
  readonly title?: string;
  /** Gets the body of the task. */
  readonly onErase: (body: object) => void;
}

/** Asks before everything on a disk is lost; where there is something, a tick as well. */
export function EraseDialog({ disk, title, onClose, onErase }: EraseDialogProps) {
  const words = disksWords();
  const isSure = useSignal(false);
  const isEmpty = holdingOf(disk) === undefined;
  const { Device, Serial } = disk;
  return (
    <Dialog title={title ?? words.eraseTitle} onClose={onClose}>
      <div class="edit-form">
        <p>{words.eraseText(`${diskTitle(disk)} (${[Device, Serial].filter(Boolean).join(", ")})`)}</p>
        {!isEmpty && (
          <label class="erase-tick">
            <input
              type="checkbox"
              checked={isSure.value}
              onChange={(event) => (isSure.value = event.currentTarget.checked)}
            />
            {words.eraseSure}
          </label>
        )}
        <div class="edit-buttons">
          <Button onClick={onClose}>{commonWords().cancel}</Button>
          <Button kind="danger" disabled={!isEmpty && !isSure.value} onClick={() => onErase(eraseBody(disk))}>
            {words.erase}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
