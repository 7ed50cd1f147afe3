import type { RefObject } from "preact";
import { IconButton } from "../control/button.js";
import { Icon } from "../control/icon.js";
import { say } from "../control/notice.js";
import { type Channel, rights } from "../state/channels.js";
import { open } from "../state/route.js";
import { wallWords } from "../words/wall.js";
import { devicesName, devicesOf } from "./devices.js";
import type { LivePicture } from "./live-picture.js";
import { saveStill } from "./still.js";
import { canTalk, hold, talking } from "./talk/talk.js";
import {
  enlarge,
  enlarged,
  heard,
  mainStreams,
  piloted,
  showCamera,
  toggle,
  toggleMain,
} from "./wall-state.js";

interface TileControlsProps {
  readonly index: number;
  readonly channel: Channel;
  readonly picture: LivePicture;
  readonly video: RefObject<HTMLVideoElement | null>;
}

/** What can be done with one camera of the wall. Seen on the chosen tile and the one below the pointer. */
export function TileControls({ index, channel, picture, video }: TileControlsProps) {
  const words = wallWords();
  const { CanPTZ, CanReceiveMainStream, CanReceiveSound } = rights.value;
  const isLarge = enlarged.value === index;
  const devices = devicesName(channel);
  const still = (): void => void keepStill(picture, video.current, channel.Name);
  return (
    <div class="tile-controls">
      {CanReceiveMainStream && (
        <IconButton
          icon="best"
          label={words.main}
          shortcut="H"
          pressed={mainStreams.value.has(channel.Id)}
          onClick={() => toggleMain(channel.Id)}
        />
      )}
      {CanReceiveSound && channel.IsSoundOn && <SoundButton index={index} picture={picture} />}
      {canTalk(channel) && <TalkButton channel={channel} />}
      {devices !== undefined && (
        <IconButton icon="devices" label={devices} shortcut="O" onClick={() => (devicesOf.value = channel)} />
      )}
      <IconButton icon="still" label={words.still} shortcut="S" onClick={still} />
      {CanPTZ && channel.IsPtzOn && (
        <IconButton
          icon="move"
          label={words.move}
          shortcut="P"
          pressed={piloted.value === index}
          onClick={() => pilot(index)}
        />
      )}
      {channel.AllowedArchive && (
        <IconButton
          icon="playback"
          label={words.recordings}
          shortcut="R"
          onClick={() => open("playback", { channel: channel.Id })}
        />
      )}
      <IconButton
        icon="close"
        label={words.clear}
        shortcut="Delete"
        onClick={() => showCamera(index, undefined)}
      />
      <IconButton
        icon={isLarge ? "shrink" : "enlarge"}
        label={isLarge ? words.shrink : words.enlarge(channel.Name)}
        shortcut="Enter"
        onClick={() => enlarge(isLarge ? undefined : index)}
      />
    </div>
  );
}

function SoundButton({ index, picture }: { readonly index: number; readonly picture: LivePicture }) {
  const words = wallWords();
  const isHeard = heard.value === index;
  return (
    <IconButton
      icon={isHeard ? "soundOn" : "soundOff"}
      label={isHeard ? words.soundOff : words.soundOn}
      shortcut="M"
      pressed={isHeard}
      onClick={() => {
        toggle(index, heard);
        if (picture.state.value.stream?.reason === "sound-codec-not-playable") say(words.noSound);
      }}
    />
  );
}

/** Speaks while it is held, by a pointer or by Space and Enter. */
function TalkButton({ channel }: { readonly channel: Channel }) {
  const { name } = wallWords().talk;
  return (
    <button
      type="button"
      class="icon-button tile-talk-button"
      aria-label={name}
      title={`${name} (T)`}
      aria-pressed={talking.value?.channel === channel.Id}
      aria-keyshortcuts="T"
      onPointerDown={() => void hold(channel)}
      onKeyDown={(event) => {
        if (event.key !== " " && event.key !== "Enter") return;
        event.preventDefault();
        if (!event.repeat) void hold(channel);
      }}
      onContextMenu={(event) => event.preventDefault()}
    >
      <Icon name="talk" />
    </button>
  );
}

/** The camera is moved in a large picture: a small one has no room for where to point. */
export function pilot(index: number): void {
  toggle(index, piloted);
  if (piloted.value !== undefined) enlarge(index);
}

export async function keepStill(
  picture: LivePicture,
  video: HTMLVideoElement | null,
  camera: string,
): Promise<void> {
  const words = wallWords();
  if (video === null) return;
  try {
    say(words.stillSaved(await saveStill(video, camera, picture.takenMs)));
  } catch (error) {
    console.warn(error);
    say(words.noStill, true);
  }
}
