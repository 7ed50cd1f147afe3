import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Loaded } from "../../control/loaded.js";
import { sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { addressOf, route } from "../../state/route.js";
import { commonWords } from "../../words/common.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { CameraList } from "./camera-list.js";
import { CameraScreen } from "./camera-screen.js";
import { useCameraHealth } from "./health.js";
import { cameraOf, readCameras } from "./model.js";
import { CAMERAS_PARTS } from "./parts.js";

/** The cameras of the recorder: all of them, one of them, or new ones; which is in the address. */
export function CamerasSection() {
  const words = camerasWords();
  const isRead = useSignal(false);
  useRead(async () => {
    await readCameras();
    isRead.value = true;
  }, sayError);
  useCameraHealth();
  const { parameters } = route.value;
  const [id, isAdding] = [parameters.get("camera"), parameters.has("add")];
  const body = useFocusOnChange(`${id} ${isAdding}`);
  // What was read before may be old, and a form is filled in once.
  if (!isRead.value) return <p class="quiet">{commonWords().loading}</p>;
  const camera = cameraOf(id);
  return (
    <section class="settings-part" ref={body} tabIndex={-1}>
      {(id !== null || isAdding) && (
        <p class="up">
          <a href={addressOf("settings", { part: "cameras" })}>{words.all}</a>
        </p>
      )}
      {isAdding && <Loaded load={CAMERAS_PARTS.add} props={{}} />}
      {!isAdding && id === null && <CameraList />}
      {!isAdding && id !== null && camera === undefined && <p class="quiet">{words.gone}</p>}
      {!isAdding && camera !== undefined && <CameraScreen key={camera.Id} camera={camera} />}
    </section>
  );
}

/** Another screen is read from its beginning, by eyes and by screen readers. */
function useFocusOnChange(shown: string) {
  const element = useRef<HTMLElement>(null);
  const last = useRef(shown);
  useEffect(() => {
    if (last.current === shown) return;
    last.current = shown;
    element.current?.focus();
  }, [shown]);
  return element;
}
