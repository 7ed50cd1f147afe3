import { useEffect, useMemo } from "preact/hooks";
import { IconButton } from "../control/button.js";
import { useKeys } from "../control/keys.js";
import { Loaded } from "../control/loaded.js";
import { sayError } from "../control/notice.js";
import { channels } from "../state/channels.js";
import { useRead } from "../state/reading.js";
import { addressOf } from "../state/route.js";
import { session } from "../state/session.js";
import { useBack } from "../state/use-back.js";
import { commonWords } from "../words/common.js";
import { wallWords } from "../words/wall.js";
import { devicesOf, useOutputs } from "./devices.js";
import { canFillScreen, toggleFullScreen } from "./full-screen.js";
import { followHappening } from "./happening/follow.js";
import { lostChannels } from "./happening/happening.js";
import { followKeptWall } from "./kept-wall.js";
import { LayoutMenu } from "./layout/layout-menu.js";
import { Pager } from "./pager.js";
import { WALL_PARTS } from "./parts.js";
import { readSavedWalls } from "./saved-walls.js";
import { ScenarioMenu } from "./scenario-menu.js";
import { Stage } from "./stage.js";
import { slowPictures, withoutPicture } from "./tile/picture-problems.js";
import { thrift } from "./tile/thrift.js";
import { wallKeys } from "./wall-keys.js";
import { WallMenu } from "./wall-menu.js";
import {
  enlarge,
  enlarged,
  isEditing,
  layoutMenuOpen,
  listIsOpen,
  showsBoxes,
  showsFigures,
  wallMenuOpen,
  watchable,
} from "./wall-state.js";

/** Live pictures of many cameras. */
export function WallScreen() {
  const words = wallWords();
  useKeys(useMemo(() => wallKeys(), [words]));
  useRead(readSavedWalls, sayError);
  useOutputs();
  useEffect(() => followKeptWall(), []);
  useBackOfWall();
  useEffect(() => followHappening(), []);
  const cameras = watchable.value;
  if (cameras === undefined) return <p class="quiet">{commonWords().loading}</p>;
  if (cameras.length === 0) return <NoCameras />;
  return (
    <div class="wall">
      <h1 class="only-read">{words.title}</h1>
      {isEditing.value ? <Loaded load={WALL_PARTS.editBar} props={{}} /> : <WallBar />}
      <div class="wall-body">
        <Stage />
        {listIsOpen.value && <Loaded load={WALL_PARTS.cameraList} props={{}} />}
      </div>
      {devicesOf.value !== undefined && (
        <Loaded load={WALL_PARTS.devices} props={{ channel: devicesOf.value }} />
      )}
    </div>
  );
}

/** "Back" closes what is open, the last one first. */
function useBackOfWall(): void {
  useBack("enlarged", enlarged.value !== undefined, () => enlarge(undefined));
  useBack("arranging", isEditing.value, () => (isEditing.value = false));
  useBack("cameras", listIsOpen.value, () => (listIsOpen.value = false));
  useBack("walls", wallMenuOpen.value, () => (wallMenuOpen.value = false));
  useBack("layouts", layoutMenuOpen.value, () => (layoutMenuOpen.value = false));
  useBack("devices", devicesOf.value !== undefined, () => (devicesOf.value = undefined));
}

function WallBar() {
  const words = wallWords();
  return (
    <div class="wall-bar" role="toolbar" aria-label={words.title}>
      <WallMenu />
      <WallState />
      <Pager />
      <LayoutMenu />
      <ScenarioMenu />
      <IconButton
        icon="cameras"
        label={words.cameras}
        shortcut="C"
        pressed={listIsOpen.value}
        onClick={() => (listIsOpen.value = !listIsOpen.value)}
      />
      <IconButton
        icon="motion"
        label={words.boxes}
        shortcut="B"
        pressed={showsBoxes.value}
        onClick={() => (showsBoxes.value = !showsBoxes.value)}
      />
      <IconButton
        icon="info"
        label={words.figures}
        shortcut="D"
        pressed={showsFigures.value}
        onClick={() => (showsFigures.value = !showsFigures.value)}
      />
      {canFillScreen() && (
        <IconButton icon="full" label={words.fullScreen} shortcut="F" onClick={toggleFullScreen} />
      )}
    </div>
  );
}

/** One sentence for all cameras, on the wall or not, said when the number changes: the tiles themselves are silent. */
function WallState() {
  const words = wallWords();
  const missing = (watchable.value ?? []).filter(
    ({ Id }) => lostChannels.value.has(Id) || withoutPicture.value.has(Id),
  ).length;
  return (
    <p class="wall-state" role="status">
      {missing > 0 && words.noPictures(missing)}
      {missing === 0 && (thrift.isOn.value ? words.thrifty : slowPictures.value.size > 0 && words.slow)}
    </p>
  );
}

function NoCameras() {
  const words = wallWords();
  // Somebody who may not configure sees no camera that is not shared.
  const mayAdd = (channels.value ?? []).length === 0 && session.value?.IsAdministrator === true;
  return (
    <div class="quiet no-cameras">
      <h1>{mayAdd ? words.noCameras : words.noRights}</h1>
      <p>{mayAdd ? words.noCamerasText : words.noRightsText}</p>
      {mayAdd && (
        <p>
          <a href={addressOf("setup", { step: "cameras" })}>{words.addCameras}</a>
        </p>
      )}
    </div>
  );
}
