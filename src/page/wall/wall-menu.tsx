import { signal, useSignal } from "@preact/signals";
import { IconButton } from "../control/button.js";
import { Field } from "../control/field.js";
import { Icon, type IconName } from "../control/icon.js";
import { Loaded } from "../control/loaded.js";
import { arrowsWithin } from "../control/toolbar.js";
import { groups } from "../state/groups.js";
import { wallWords } from "../words/wall.js";
import { WALL_PARTS } from "./parts.js";
import { Popover } from "./popover.js";
import { maySaveWalls, openSavedWall, removing, type SavedWall, savedWalls, saving } from "./saved-walls.js";
import { isEditing, type Source, showWall, wall } from "./wall-state.js";

export const wallMenuOpen = signal(false);

/** So many groups and saved walls are looked through by eye. */
const SOUGHT_FROM = 12;

interface Choice {
  readonly key: string;
  readonly icon: IconName;
  readonly name: string;
  readonly isCurrent: boolean;
  readonly depth?: number;
  readonly view?: SavedWall;
  readonly open: () => void;
}

function followed(source: Source, icon: IconName, name: string, depth = 0): Choice {
  const { rotationS } = wall.value;
  return {
    ...{ key: source, icon, name, depth, isCurrent: wall.value.source === source },
    open: () => showWall({ source, rotationS }),
  };
}

function savedChoice(view: SavedWall): Choice {
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
        <WallChoices always={always} ofGroups={ofGroups} kept={kept} />
      </Popover>
      {(saving.value || removing.value !== undefined) && <Loaded load={WALL_PARTS.wallDialogs} props={{}} />}
    </>
  );
}

interface WallChoicesProps {
  readonly always: readonly Choice[];
  readonly ofGroups: readonly Choice[];
  readonly kept: readonly Choice[];
}

function WallChoices({ always, ofGroups, kept }: WallChoicesProps) {
  const words = wallWords();
  const sought = useSignal("");
  const isSought = ({ name }: Choice): boolean =>
    name.toLowerCase().includes(sought.value.trim().toLowerCase());
  const [foundGroups, foundWalls] = [ofGroups.filter(isSought), kept.filter(isSought)];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrows go between the buttons within.
    <div onKeyDown={arrowsWithin}>
      {ofGroups.length + kept.length > SOUGHT_FROM && (
        <Field label={words.findWall} type="search" text={sought} maxLength={128} />
      )}
      {always.map((choice) => (
        <WallChoice key={choice.key} choice={choice} />
      ))}
      {foundGroups.length > 0 && <h2 class="menu-title">{words.groups}</h2>}
      {foundGroups.map((choice) => (
        <WallChoice key={choice.key} choice={choice} />
      ))}
      <h2 class="menu-title">{words.savedWalls}</h2>
      {kept.length === 0 && <p class="menu-hint">{words.noSavedWalls}</p>}
      {kept.length > 0 && foundWalls.length === 0 && <p class="menu-hint">{words.noWallFound}</p>}
      {foundWalls.map((choice) => (
        <WallChoice key={choice.key} choice={choice} />
      ))}
      {maySaveWalls() && (
        <button type="button" class="menu-item" onClick={() => closeAnd(() => (saving.value = true))}>
          <Icon name="download" />
          {words.saveWall}
        </button>
      )}
    </div>
  );
}

function closeAnd(act: () => void): void {
  wallMenuOpen.value = false;
  isEditing.value = false;
  act();
}

function WallChoice({ choice }: { readonly choice: Choice }) {
  const { icon, name, isCurrent, depth = 0, view, open } = choice;
  return (
    <div class="menu-row" style={{ paddingInlineStart: `${depth}rem` }}>
      <button type="button" class="menu-item" aria-current={isCurrent} onClick={() => closeAnd(open)}>
        <Icon name={icon} />
        <span class="menu-name">{name}</span>
      </button>
      {view !== undefined && maySaveWalls() && (
        <IconButton
          icon="close"
          label={wallWords().removeWall(view.Name)}
          onClick={() => closeAnd(() => (removing.value = view))}
        />
      )}
    </div>
  );
}
