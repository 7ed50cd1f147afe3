import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../control/button.js";
import { Icon } from "../control/icon.js";
import { CameraFinder, readyCameras } from "../finding/camera-finder.js";
import { addCameras, isAdding } from "../finding/camera-work.js";
import { found, groupOf } from "../finding/found-cameras.js";
import { readDisks, roomBytes } from "../settings/disks/disks.js";
import { bitsPerSecond, lastingText } from "../state/figures.js";
import { findingWords } from "../words/finding.js";
import { setupWords } from "../words/setup.js";

interface CamerasStepProps {
  readonly onBack: () => void;
  readonly onNext: () => void;
}

/** The cameras that answer, each with its picture, and adding those that are marked. */
export function CamerasStep({ onBack, onNext }: CamerasStepProps) {
  const [words, finding] = [setupWords(), findingWords()];
  const room = useSignal(0);
  const [login, password] = [useSignal(""), useSignal("")];
  useEffect(() => {
    readDisks().then(
      (list) => (room.value = roomBytes(list)),
      (error: unknown) => console.warn("the disks cannot be read", error),
    );
  }, []);
  const chosen = useComputed(readyCameras);
  const add = async (): Promise<void> => {
    await addCameras(chosen.value);
    if (found.value.every((camera) => groupOf(camera) === "added")) onNext();
  };
  const { length } = chosen.value;
  const rate = bitsPerSecond(chosen.value.flatMap(({ rates }) => rates));
  return (
    <section class="setup-part">
      <h2>{words.camerasTitle}</h2>
      <p>{words.camerasWhy}</p>
      <CameraFinder login={login} password={password} />
      {length > 0 && room.value > 0 && rate > 0 && (
        <p role="status">{words.wouldLast(lastingText(room.value, rate))}</p>
      )}
      <div class="setup-buttons">
        <Button onClick={onBack}>{words.back}</Button>
        <Button disabled={isAdding.value} onClick={onNext}>
          {found.value.some(({ isAdded }) => isAdded) ? words.next : words.later}
        </Button>
        {(length > 0 || isAdding.value) && (
          <Button kind="main" disabled={isAdding.value} onClick={() => void add()}>
            <Icon name="add" /> {isAdding.value ? finding.adding : finding.addCount(length)}
          </Button>
        )}
      </div>
    </section>
  );
}
