import { addressOf } from "../../state/route.js";
import { camerasWords } from "../../words/settings/cameras.js";
import type { Camera } from "./model.js";
import { ownPage } from "./own-page.js";

/** What there is of a camera elsewhere: its own page, its recordings, its events. */
export function CameraLinks({ camera: { Id, ConnectionSettings } }: { readonly camera: Camera }) {
  const words = camerasWords();
  const own = ownPage(ConnectionSettings.Hostname);
  return (
    <p class="camera-links">
      {own !== undefined && (
        <a href={own} target="_blank" rel="noreferrer">
          {words.ownPage}
        </a>
      )}
      <a href={addressOf("playback", { channel: Id })}>{words.itsRecordings}</a>
      <a href={addressOf("events", { camera: Id })}>{words.itsEvents}</a>
    </p>
  );
}
