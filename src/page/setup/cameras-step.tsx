import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../control/button.js";
import { Icon } from "../control/icon.js";
import { readDisks, roomBytes } from "../settings/disks/disks.js";
import { bitsPerSecond, lastingText } from "../state/figures.js";
import { setupWords } from "../words/setup.js";
import { CameraRow } from "./camera-row.js";
import { addCameras, isAdding, isScanning, scan, stopFollowing } from "./camera-work.js";
import { byMaker, type Found, found, GROUPS, type Group, groupOf } from "./found-cameras.js";
import { LoginForm } from "./login-form.js";
import { MoreCameras } from "./more-cameras.js";

interface CamerasStepProps {
  readonly onBack: () => void;
  readonly onNext: () => void;
}

/** The cameras that answer, each with its picture, and adding those that are marked. */
export function CamerasStep({ onBack, onNext }: CamerasStepProps) {
  const words = setupWords();
  const room = useSignal(0);
  const [login, password] = [useSignal(""), useSignal("")];
  useEffect(() => {
    void scan();
    readDisks().then(
      (list) => (room.value = roomBytes(list)),
      (error: unknown) => console.warn("the disks cannot be read", error),
    );
    return stopFollowing;
  }, []);
  const chosen = useComputed(() =>
    found.value.filter((camera) => camera.isChosen && groupOf(camera) === "ready"),
  );
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
      <div class="setup-scan">
        <p role="status">
          {isScanning.value ? words.scanning : words.found(found.value.length)}
          {!isScanning.value && found.value.length === 0 && ` ${words.noneFound}`}
        </p>
        <Button disabled={isScanning.value} onClick={() => void scan()}>
          {words.scanAgain}
        </Button>
      </div>
      <LoginForm login={login} password={password} />
      {GROUPS.map((group) => (
        <CameraGroup key={group} group={group} />
      ))}
      <MoreCameras />
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
            <Icon name="add" /> {isAdding.value ? words.adding : words.addCount(length)}
          </Button>
        )}
      </div>
    </section>
  );
}

function CameraGroup({ group }: { readonly group: Group }) {
  const words = setupWords();
  const cameras = found.value.filter((camera) => groupOf(camera) === group);
  if (cameras.length === 0) return null;
  return (
    <div class="camera-group">
      <h3>{words.groups[group]}</h3>
      {group === "login" ? (
        byMaker(cameras).map(([maker, of]) => (
          <div key={maker}>
            {maker !== "" && <h4>{maker}</h4>}
            <Rows cameras={of} group={group} />
          </div>
        ))
      ) : (
        <Rows cameras={cameras} group={group} />
      )}
    </div>
  );
}

function Rows({ cameras, group }: { readonly cameras: readonly Found[]; readonly group: Group }) {
  return (
    <ul class="found-list">
      {cameras.map((camera) => (
        <CameraRow key={camera.address} camera={camera} group={group} />
      ))}
    </ul>
  );
}
