import { useEffect, useMemo } from "preact/hooks";
import { IconButton } from "../control/button.js";
import { useKeys } from "../control/keys.js";
import { sayError } from "../control/notice.js";
import { channels } from "../state/channels.js";
import { useRead } from "../state/reading.js";
import { addressOf } from "../state/route.js";
import { session } from "../state/session.js";
import { commonWords } from "../words/common.js";
import { wallWords } from "../words/wall.js";
import { CameraList } from "./camera-list.js";
import { DevicesDialog } from "./devices.js";
import { EditBar } from "./edit-layer.js";
import { canFillScreen, toggleFullScreen } from "./full-screen.js";
import { followKeptWall } from "./kept-wall.js";
import { LayoutMenu } from "./layout/layout-menu.js";
import { slowPictures, withoutPicture } from "./picture-problems.js";
import { readSavedWalls } from "./saved-walls.js";
import { ScenarioMenu } from "./scenario-menu.js";
import { Stage } from "./stage.js";
import { thrift } from "./thrift.js";
import { wallKeys } from "./wall-keys.js";
import { WallMenu } from "./wall-menu.js";
import { isEditing, listIsOpen, showsFigures, watchable } from "./wall-state.js";

/** Live pictures of many cameras. */
export function WallScreen() {
  const words = wallWords();
  useKeys(useMemo(() => wallKeys(), [words]));
  useRead(readSavedWalls, sayError);
  useEffect(() => followKeptWall(), []);
  const cameras = watchable.value;
  if (cameras === undefined) return <p class="quiet">{commonWords().loading}</p>;
  if (cameras.length === 0) return <NoCameras />;
  return (
    <div class="wall">
      <h1 class="only-read">{words.title}</h1>
      {isEditing.value ? <EditBar /> : <WallBar />}
      <div class="wall-body">
        <Stage />
        {listIsOpen.value && <CameraList />}
      </div>
      <DevicesDialog />
    </div>
  );
}

function WallBar() {
  const words = wallWords();
  return (
    <div class="wall-bar" role="toolbar" aria-label={words.title}>
      <WallMenu />
      <WallState />
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

/** One sentence for all tiles, said when the number changes: the tiles themselves are silent. */
function WallState() {
  const words = wallWords();
  const missing = withoutPicture.value.size;
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
