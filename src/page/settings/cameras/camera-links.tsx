import { addressOf } from "../../state/route.js";
import { camerasWords } from "../../words/cameras.js";
import type { Camera } from "./model.js";

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

/** The web address of a camera; undefined where its address names no host. A stream's port is none of its page. */
export function ownPage(address: string): string | undefined {
  const isStream = /^rtsps?:\/\//i.test(address);
  const url = isStream || /^https?:\/\//i.test(address) ? address : `http://${address}`;
  if (!URL.canParse(url)) return undefined;
  const { protocol, host } = new URL(url);
  if (host === "") return undefined;
  const [, name = host] = /^(\[[^\]]*\]|[^:]*)/.exec(host) ?? [];
  return isStream ? `http://${name}/` : `${protocol}//${host}/`;
}
