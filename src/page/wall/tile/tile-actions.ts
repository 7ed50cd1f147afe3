import type { IconName } from "../../control/icon.js";
import { say } from "../../control/notice.js";
import { type Channel, rights } from "../../state/channels.js";
import { open } from "../../state/route.js";
import { wallWords } from "../../words/wall.js";
import { devicesName, devicesOf } from "../devices.js";
import { sayUndo } from "../undo.js";
import {
  enlarge,
  enlarged,
  heard,
  mainStreams,
  piloted,
  showCamera,
  toggle,
  toggleMain,
} from "../wall-state.js";
import type { LivePicture } from "./live-picture.js";
import { saveStill } from "./still.js";

/** What can be done with the camera of a tile. */
export interface TileAction {
  readonly icon: IconName;
  readonly label: string;
  readonly shortcut: string;
  readonly pressed?: boolean;
  /** It takes something away: in the menu alone. */
  readonly isInMenu?: boolean;
  readonly act: () => void;
}

export interface TileCamera {
  readonly index: number;
  readonly channel: Channel;
  readonly picture: LivePicture;
  readonly video: () => HTMLVideoElement | null;
}

/** All that this user can do with the camera, what is done most often last. */
export function tileActions(tile: TileCamera): readonly TileAction[] {
  return [...pictureActions(tile), ...cameraActions(tile), ...placeActions(tile)];
}

function pictureActions({ index, channel, picture }: TileCamera): readonly TileAction[] {
  const words = wallWords();
  const { CanReceiveMainStream, CanReceiveSound } = rights.value;
  const main: TileAction = {
    icon: "best",
    label: words.main,
    shortcut: "H",
    pressed: mainStreams.value.has(channel.Id),
    act: () => toggleMain(channel.Id),
  };
  const isHeard = heard.value === index;
  const sound: TileAction = {
    icon: isHeard ? "soundOn" : "soundOff",
    label: isHeard ? words.soundOff : words.soundOn,
    shortcut: "M",
    pressed: isHeard,
    act: () => {
      toggle(index, heard);
      if (picture.state.value.stream?.reason === "sound-codec-not-playable") say(words.noSound);
    },
  };
  return [...(CanReceiveMainStream ? [main] : []), ...(CanReceiveSound && channel.IsSoundOn ? [sound] : [])];
}

function cameraActions({ index, channel, picture, video }: TileCamera): readonly TileAction[] {
  const words = wallWords();
  const devices = devicesName(channel);
  const actions: TileAction[] = [];
  if (devices !== undefined)
    actions.push({
      ...{ icon: "devices", label: devices, shortcut: "O" },
      act: () => (devicesOf.value = channel),
    });
  actions.push({
    ...{ icon: "still", label: words.still, shortcut: "S" },
    act: () => void keepStill(picture, video(), channel.Name),
  });
  if (rights.value.CanPTZ && channel.IsPtzOn)
    actions.push({
      ...{ icon: "move", label: words.move, shortcut: "P", pressed: piloted.value === index },
      act: () => pilot(index),
    });
  if (channel.AllowedArchive)
    actions.push({
      ...{ icon: "playback", label: words.recordings, shortcut: "R" },
      act: () => open("playback", { channel: channel.Id }),
    });
  return actions;
}

function placeActions({ index, channel }: TileCamera): readonly TileAction[] {
  const words = wallWords();
  const isLarge = enlarged.value === index;
  return [
    {
      ...{ icon: "minus", label: words.clear, shortcut: "Delete", isInMenu: true },
      act: () => takeAway(index, channel.Name),
    },
    isLarge
      ? { icon: "close", label: words.shrink, shortcut: "Escape", act: () => enlarge(undefined) }
      : {
          ...{ icon: "enlarge", label: words.enlarge(channel.Name), shortcut: "Enter" },
          act: () => enlarge(index),
        },
  ];
}

/** The camera leaves its tile; it can be brought back. */
export function takeAway(tile: number, camera: string): void {
  enlarge(undefined);
  showCamera(tile, undefined);
  sayUndo(wallWords().takenAway(camera));
}

/** The camera is moved in a large picture: a small one has no room for where to point. */
export function pilot(index: number): void {
  toggle(index, piloted);
  if (piloted.value !== undefined) enlarge(index);
}

async function keepStill(
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
