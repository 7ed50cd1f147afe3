import type { ComponentType } from "preact";
import { Loaded } from "../../control/loaded.js";
import { addressOf, route } from "../../state/route.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { CameraLinks } from "./camera-links.js";
import { CameraStateLine } from "./camera-list.js";
import { ChangedCertificate } from "./changed-certificate.js";
import { causeOf } from "./health.js";
import type { Camera } from "./model.js";
import { Positions } from "./positions.js";
import { RemoveCamera } from "./remove-camera.js";
import { SettingsForm } from "./settings-form.js";
import { StreamTable } from "./stream-table.js";

interface ViewProps {
  readonly camera: Camera;
}

type View = ComponentType<ViewProps>;

/** What is set of a camera, by its name in the address: `&view=schedule`. Each is fetched when it is opened. */
const VIEWS = {
  schedule: async (): Promise<View> => (await import("./week/schedule-view.js")).ScheduleView,
  motion: async (): Promise<View> => (await import("./motion/motion-view.js")).MotionView,
  masks: async (): Promise<View> => (await import("./motion/masks-view.js")).MasksView,
  objects: async (): Promise<View> => (await import("./objects/objects-view.js")).ObjectsView,
  events: async (): Promise<View> => (await import("./events-view.js")).EventsView,
  copy: async (): Promise<View> => (await import("./copy/copy-view.js")).CopyView,
  replace: async (): Promise<View> => (await import("./replace-view.js")).ReplaceView,
} as const;
type ViewName = "general" | keyof typeof VIEWS;
const VIEW_NAMES: readonly ViewName[] = ["general", ...(Object.keys(VIEWS) as (keyof typeof VIEWS)[])];

/** One camera. */
export function CameraScreen({ camera }: ViewProps) {
  const words = camerasWords();
  const shown = VIEW_NAMES.find((name) => name === route.value.parameters.get("view")) ?? "general";
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
      {shown === "general" ? (
        <GeneralView camera={camera} />
      ) : (
        <Loaded key={shown} load={VIEWS[shown]} props={{ camera }} />
      )}
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
