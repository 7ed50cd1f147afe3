import { Icon } from "../../control/icon.js";
import { addressOf } from "../../state/route.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { type CameraState, causeOf, lossesOf, pictureOf, stateOf } from "./health.js";
import { LastPicture } from "./last-picture.js";
import { type Camera, cameras, modeOf } from "./model.js";

/** All cameras: what each does now, and the way to its settings. */
export function CameraList() {
  const words = camerasWords();
  const list = cameras.value ?? [];
  return (
    <>
      <h2>{words.title}</h2>
      <p>{list.length === 0 ? words.none : words.count(list.length)}</p>
      <div class="edit-buttons">
        <a class="button main add-link" href={addressOf("settings", { part: "cameras", add: "1" })}>
          <Icon name="add" /> {words.add}
        </a>
      </div>
      <ul class="camera-cards" aria-label={words.title}>
        {list.map((camera) => (
          <CameraCard key={camera.Id} camera={camera} />
        ))}
      </ul>
    </>
  );
}

function CameraCard({ camera }: { readonly camera: Camera }) {
  const words = camerasWords();
  const { Id, Name, Description, ConnectionSettings, ArchiveSettings } = camera;
  return (
    <li class="camera-card">
      <LastPicture id={Id} name={Name} kind={pictureOf(Id)} />
      <div class="camera-card-text">
        <h3>
          <a href={addressOf("settings", { part: "cameras", camera: Id })}>{Name}</a>
        </h3>
        {Description !== "" && <p class="hint">{Description}</p>}
        <CameraStateLine id={Id} />
        <p class="hint">{words.modes[modeOf(ArchiveSettings)]}</p>
        <p class="hint camera-address">{ConnectionSettings.Hostname}</p>
      </div>
    </li>
  );
}

const MARKS: Readonly<Record<CameraState, string>> = {
  recorded: "good",
  idle: "good",
  connecting: "warning",
  waiting: "warning",
  notRecorded: "danger",
  lost: "danger",
  off: "soft",
  unknown: "soft",
};

/** What a camera does now, and if it sends nothing, why. */
export function CameraStateLine({ id }: { readonly id: string }) {
  const words = camerasWords();
  const state = stateOf(id);
  const cause = causeOf(id);
  const why = cause === undefined ? undefined : words.causes[cause as keyof typeof words.causes];
  return (
    <>
      <p class={`camera-state ${MARKS[state]}`}>
        {words.states[state]}
        {why !== undefined && ` ${why}`}
      </p>
      {lossesOf(id).map((text) => (
        <p key={text} class="camera-state warning">
          {text}
        </p>
      ))}
    </>
  );
}
