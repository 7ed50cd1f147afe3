import { useSignal } from "@preact/signals";
import { Button } from "../../control/button.js";
import { sayError } from "../../control/notice.js";
import { sizeText } from "../../state/figures.js";
import {
  deleteFormerCamera,
  type FormerCamera,
  formerCameras,
  readFormerCameras,
} from "../../state/former.js";
import { useRead } from "../../state/reading.js";
import { open } from "../../state/route.js";
import { formerWords } from "../../words/former.js";
import { dayText } from "./disk-words.js";
import { SureDialog } from "./sure-dialog.js";

/** Cameras that were removed, or that another recorder recorded; nothing where there are none. */
export function FormerPart() {
  const words = formerWords();
  const asked = useSignal<FormerCamera | undefined>(undefined);
  useRead(readFormerCameras, sayError);
  const found = formerCameras.value;
  if (found.length === 0) return null;
  const remove = async (id: string): Promise<void> => {
    asked.value = undefined;
    await deleteFormerCamera(id).catch(sayError);
  };
  return (
    <section class="card" aria-label={words.title}>
      <h3>{words.title}</h3>
      <p>{words.why}</p>
      <ul class="reach-list" aria-label={words.title}>
        {found.map((camera) => (
          <FormerRow key={camera.Id} camera={camera} onDelete={() => (asked.value = camera)} />
        ))}
      </ul>
      {asked.value !== undefined && (
        <SureDialog
          title={words.removeTitle(asked.value.Name)}
          text={words.removeText}
          sure={words.removeSure}
          act={words.remove}
          onAct={() => void remove(asked.value?.Id ?? "")}
          onClose={() => (asked.value = undefined)}
        />
      )}
    </section>
  );
}

interface FormerRowProps {
  readonly camera: FormerCamera;
  readonly onDelete: () => void;
}

function FormerRow({ camera, onDelete }: FormerRowProps) {
  const words = formerWords();
  const { Id, Name, FromTime, ToTime, RecordedBytes, ProtectedTimes } = camera;
  const watch = (): void => open("playback", { channel: Id, time: String(Date.parse(FromTime)) });
  return (
    <li>
      <p class="reach-name">
        <span>{Name}</span>
        {RecordedBytes !== null && <strong>{sizeText(RecordedBytes)}</strong>}
      </p>
      <p>{words.times(dayText(FromTime), dayText(ToTime))}</p>
      {ProtectedTimes > 0 && <p class="hint">{words.protectedTimes}</p>}
      <div class="edit-buttons">
        <Button label={`${words.watch}: ${Name}`} onClick={watch}>
          {words.watch}
        </Button>
        <Button disabled={ProtectedTimes > 0} label={`${words.remove}: ${Name}`} onClick={onDelete}>
          {words.remove}
        </Button>
      </div>
    </li>
  );
}
