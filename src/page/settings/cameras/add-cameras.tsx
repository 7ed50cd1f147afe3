import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../control/button.js";
import { Icon } from "../../control/icon.js";
import { say, sayError } from "../../control/notice.js";
import { CameraFinder, readyCameras } from "../../finding/camera-finder.js";
import { addCameras, isAdding } from "../../finding/camera-work.js";
import { found } from "../../finding/found-cameras.js";
import type { StreamAddress } from "../../finding/stream-address.js";
import { readChannels } from "../../state/channels.js";
import { findingWords } from "../../words/finding.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { readCameras } from "./model.js";
import { StreamForm } from "./stream-form.js";

/** Cameras that are not added yet: those that answer a search, those at an address, and those known by their stream. */
export function AddCameras() {
  const [words, finding] = [camerasWords(), findingWords()];
  const [login, password] = [useSignal(""), useSignal("")];
  const typed = useSignal<StreamAddress | undefined>(undefined);
  const chosen = useComputed(readyCameras);
  const added = useComputed(() => found.value.filter(({ isAdded }) => isAdded).length);
  useEffect(() => {
    Promise.all([readCameras(), readChannels()]).catch(sayError);
  }, [added.value]);
  const add = async (): Promise<void> => {
    const before = added.value;
    await addCameras(chosen.value);
    if (added.value > before) say(words.added(added.value - before));
  };
  const { length } = chosen.value;
  return (
    <>
      <h2>{words.add}</h2>
      <p>{words.addWhy}</p>
      <CameraFinder
        login={login}
        password={password}
        onStream={(stream) => {
          typed.value = stream;
        }}
      />
      <StreamForm typed={typed.value} />
      {(length > 0 || isAdding.value) && (
        <div class="edit-buttons">
          <Button kind="main" disabled={isAdding.value} onClick={() => void add()}>
            <Icon name="add" /> {isAdding.value ? finding.adding : finding.addCount(length)}
          </Button>
        </div>
      )}
    </>
  );
}
