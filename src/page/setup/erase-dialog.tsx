import { useSignal } from "@preact/signals";
import { Button } from "../control/button.js";
import { Dialog } from "../control/dialog.js";
import { commonWords } from "../words/common.js";
import { setupWords } from "../words/setup.js";
import { diskTitle } from "./disk-card.js";
import { type Disk, holdingOf } from "./disks.js";

interface EraseDialogProps {
  readonly disk: Disk;
  readonly onClose: () => void;
  /** Gets the body of the task. */
  readonly onErase: (body: object) => void;
}

/** Asks before everything on a disk is lost; where there is something, a tick as well. */
export function EraseDialog({ disk, onClose, onErase }: EraseDialogProps) {
  const words = setupWords();
  const isSure = useSignal(false);
  const isEmpty = holdingOf(disk) === undefined;
  const { Device, Serial } = disk;
  const erase = (): void =>
    onErase({ Device, Serial, Confirm: Serial === "" ? Device : Serial, EraseFound: !isEmpty });
  return (
    <Dialog title={words.eraseTitle} onClose={onClose}>
      <div class="setup-part">
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
        <div class="setup-buttons">
          <Button onClick={onClose}>{commonWords().cancel}</Button>
          <Button kind="danger" disabled={!isEmpty && !isSure.value} onClick={erase}>
            {words.erase}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
