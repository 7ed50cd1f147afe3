import type { ComponentType } from "preact";
import { addressOf, route } from "../../state/route.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { CameraLinks } from "./camera-links.js";
import { CameraStateLine } from "./camera-list.js";
import { ChangedCertificate } from "./changed-certificate.js";
import { CopyView } from "./copy/copy-view.js";
import { EventsView } from "./events-view.js";
import { causeOf } from "./health.js";
import type { Camera } from "./model.js";
import { MotionView } from "./motion/motion-view.js";
import { ObjectsView } from "./objects/objects-view.js";
import { Positions } from "./positions.js";
import { RemoveCamera } from "./remove-camera.js";
import { ReplaceView } from "./replace-view.js";
import { SettingsForm } from "./settings-form.js";
import { StreamTable } from "./stream-table.js";
import { ScheduleView } from "./week/schedule-view.js";

interface ViewProps {
  readonly camera: Camera;
}

/** What is set of a camera, by its name in the address: `&view=schedule`. */
const VIEWS = {
  general: GeneralView,
  schedule: ScheduleView,
  motion: MotionView,
  objects: ObjectsView,
  events: EventsView,
  copy: CopyView,
  replace: ReplaceView,
} as const satisfies Readonly<Record<string, ComponentType<ViewProps>>>;
type ViewName = keyof typeof VIEWS;
const VIEW_NAMES = Object.keys(VIEWS) as readonly ViewName[];

/** One camera. */
export function CameraScreen({ camera }: ViewProps) {
  const words = camerasWords();
  const shown = VIEW_NAMES.find((name) => name === route.value.parameters.get("view")) ?? "general";
  const View = VIEWS[shown];
  return (
    <>
      <h2>{camera.Name}</h2>
      <CameraStateLine id={camera.Id} />
      {causeOf(camera.Id) === "certificate-changed" && <ChangedCertificate id={camera.Id} />}
      <nav aria-label={words.views} class="camera-views">
        <ul>
          {VIEW_NAMES.map((view) => (
            <li key={view}>
              <a
                href={addressOf("settings", { part: "cameras", camera: camera.Id, view })}
                aria-current={view === shown ? "page" : undefined}
              >
                {words.view[view]}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <View camera={camera} />
    </>
  );
}

function GeneralView({ camera }: ViewProps) {
  return (
    <>
      <StreamTable camera={camera} />
      <CameraLinks camera={camera} />
      <SettingsForm camera={camera} />
      {camera.ConnectionSettings.PtzEnabled && <Positions camera={camera} />}
      <RemoveCamera camera={camera} />
    </>
  );
}
