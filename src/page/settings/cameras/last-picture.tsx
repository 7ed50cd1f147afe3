import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Icon } from "../../control/icon.js";
import { addressOf } from "../../state/address.js";
import { at } from "../../state/place.js";
import { camerasWords } from "../../words/settings/cameras.js";

const WIDTH = 320;
/** A new picture comes so often. */
const PICTURE_MS = 10_000;

interface LastPictureProps {
  readonly id: string;
  readonly name: string;
  /** Undefined: none. */
  readonly kind: "live" | "recorded" | undefined;
}

/** What a camera shows now; of one that sends nothing, the last that was recorded. */
export function LastPicture({ id, name, kind }: LastPictureProps) {
  const words = camerasWords();
  const missing = useSignal<string | undefined>(undefined);
  const count = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => (count.value += 1), PICTURE_MS);
    return () => clearInterval(timer);
  }, []);
  const address = kind === undefined ? undefined : pictureAddress(id, kind, count.value);
  if (address === undefined || missing.value === address)
    return (
      <span class="camera-picture" role="img" aria-label={words.noPicture(name)}>
        <Icon name="noPicture" />
      </span>
    );
  return (
    <img
      class="camera-picture"
      src={address}
      alt={kind === "live" ? words.picture(name) : words.lastPicture(name)}
      loading="lazy"
      onError={() => (missing.value = address)}
    />
  );
}

/** The last that was recorded stays the same; a time to come is answered with it. */
function pictureAddress(id: string, kind: "live" | "recorded", count: number): string {
  const asked = { channelid: id, resolutionx: WIDTH };
  // A number that no route has, so that the browser asks again.
  if (kind === "live") return at(`${addressOf("/site", asked)}&n=${count}`);
  const starttime = `${new Date().toISOString().slice(0, 10)} 23:59:59`;
  return at(addressOf("/site", { ...asked, mode: "archive", starttime, optional: true }));
}
