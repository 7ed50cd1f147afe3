import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { IconButton } from "../control/button.js";
import { Field } from "../control/field.js";
import { Icon } from "../control/icon.js";
import { arrowsWithin } from "../control/toolbar.js";
import { wallWords } from "../words/wall.js";
import { maySaveWalls, removing, saving } from "./saved-walls.js";
import type { WallChoice } from "./wall-choice.js";
import { isEditing, wallMenuOpen } from "./wall-state.js";

/** So many groups and saved walls are looked through by eye. */
const SOUGHT_FROM = 12;

interface WallChoicesProps {
  readonly always: readonly WallChoice[];
  readonly ofGroups: readonly WallChoice[];
  readonly kept: readonly WallChoice[];
}

/** The choices of the menu, looked through by a text where they are many. */
export function WallChoices({ always, ofGroups, kept }: WallChoicesProps) {
  const words = wallWords();
  const sought = useSignal("");
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const first = root.current?.querySelector<HTMLElement>("[aria-current=true]");
    (first ?? root.current?.querySelector("button"))?.focus();
  }, []);
  const isSought = ({ name }: WallChoice): boolean =>
    name.toLowerCase().includes(sought.value.trim().toLowerCase());
  const [foundGroups, foundWalls] = [ofGroups.filter(isSought), kept.filter(isSought)];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrows go between the buttons within.
    <div ref={root} onKeyDown={arrowsWithin}>
      {ofGroups.length + kept.length > SOUGHT_FROM && (
        <Field label={words.findWall} type="search" text={sought} maxLength={128} />
      )}
      {always.map((choice) => (
        <WallChoiceRow key={choice.key} choice={choice} />
      ))}
      {foundGroups.length > 0 && <h2 class="menu-title">{words.groups}</h2>}
      {foundGroups.map((choice) => (
        <WallChoiceRow key={choice.key} choice={choice} />
      ))}
      <h2 class="menu-title">{words.savedWalls}</h2>
      {kept.length === 0 && <p class="menu-hint">{words.noSavedWalls}</p>}
      {kept.length > 0 && foundWalls.length === 0 && <p class="menu-hint">{words.noWallFound}</p>}
      {foundWalls.map((choice) => (
        <WallChoiceRow key={choice.key} choice={choice} />
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

function WallChoiceRow({ choice }: { readonly choice: WallChoice }) {
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
