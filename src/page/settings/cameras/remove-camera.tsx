import { useSignal } from "@preact/signals";
import { Button } from "../../control/button.js";
import { Check } from "../../control/check.js";
import { say, sayError } from "../../control/notice.js";
import { open } from "../../state/route.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { type Camera, removeCamera } from "./model.js";

/** Takes a camera out of the recorder, at the second press. */
export function RemoveCamera({ camera }: { readonly camera: Camera }) {
  const words = camerasWords();
  const isSure = useSignal(false);
  const withRecordings = useSignal(false);
  const remove = async (): Promise<void> => {
    try {
      await removeCamera(camera, withRecordings.value);
      say(words.removed(camera.Name));
      open("settings", { part: "cameras" });
    } catch (error) {
      isSure.value = false;
      sayError(error);
    }
  };
  return (
    <div class="edit-end">
      {isSure.value && (
        <Check
          label={words.withRecordings}
          hint={words.withRecordingsHint}
          checked={withRecordings.value}
          onChecked={(value) => (withRecordings.value = value)}
        />
      )}
      <Button
        kind="danger"
        onClick={() => {
          if (isSure.value) void remove();
          isSure.value = true;
        }}
      >
        {isSure.value ? words.removeSure(camera.Name, withRecordings.value) : words.remove}
      </Button>
    </div>
  );
}
