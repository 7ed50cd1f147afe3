import type { IconName } from "../control/icon.js";
import { Loaded } from "../control/loaded.js";
import { groups } from "../state/groups.js";
import { wallWords } from "../words/wall.js";
import { WALL_PARTS } from "./parts.js";
import { Popover } from "./popover.js";
import { openSavedWall, removing, type SavedWall, savedWalls, saving } from "./saved-walls.js";
import type { WallChoice } from "./wall-choice.js";
import { type Source, showWall, wall, wallMenuOpen } from "./wall-state.js";

function followed(source: Source, icon: IconName, name: string, depth = 0): WallChoice {
  const { rotationS } = wall.value;
  return {
    ...{ key: source, icon, name, depth, isCurrent: wall.value.source === source },
    open: () => showWall({ source, rotationS }),
  };
}

function savedChoice(view: SavedWall): WallChoice {
  const isCurrent = view.Id === wall.value.viewId;
  return { key: view.Id, icon: "live", name: view.Name, isCurrent, view, open: () => openSavedWall(view) };
}

/** What the wall can show: all cameras, those of a group, where something happens, and the walls that the configuration has. */
export function WallMenu() {
  const words = wallWords();
  const kept = (savedWalls.value ?? []).map(savedChoice);
  const ofGroups = groups.value.map(({ id, name, depth }) => followed(`group:${id}`, "folder", name, depth));
  const always = [
    followed("all", "grid", words.allCameras),
    followed("happening", "motion", words.happening.title),
  ];
  const current = [...kept, ...ofGroups, ...always].find(({ isCurrent }) => isCurrent);
  return (
    <>
      <Popover
        icon="live"
        label={words.savedWalls}
        text={current?.name ?? words.unsaved}
        shortcut="W"
        isOpen={wallMenuOpen}
      >
        <Loaded load={WALL_PARTS.wallChoices} props={{ always, ofGroups, kept }} />
      </Popover>
      {(saving.value || removing.value !== undefined) && <Loaded load={WALL_PARTS.wallDialogs} props={{}} />}
    </>
  );
}
