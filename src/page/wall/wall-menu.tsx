import { signal, useSignal } from "@preact/signals";
import { Button, IconButton } from "../control/button.js";
import { Dialog } from "../control/dialog.js";
import { Fault } from "../control/fault.js";
import { Field } from "../control/field.js";
import { Icon } from "../control/icon.js";
import { errorWords, say, sayError } from "../control/notice.js";
import { commonWords } from "../words/common.js";
import { wallWords } from "../words/wall.js";
import { Popover } from "./popover.js";
import {
  maySaveWalls,
  openSavedWall,
  removeSavedWall,
  type SavedWall,
  savedWalls,
  saveWall,
} from "./saved-walls.js";
import { isEditing, showWall, wall } from "./wall-state.js";

export const wallMenuOpen = signal(false);
const saving = signal(false);
const removing = signal<SavedWall | undefined>(undefined);

/** The walls that the configuration has, under the name of the one that is shown. */
export function WallMenu() {
  const words = wallWords();
  const shown = wall.value;
  const saved = savedWalls.value ?? [];
  const current = saved.find(({ Id }) => Id === shown.viewId);
  const name = current?.Name ?? (shown.isAutomatic === true ? words.allCameras : words.unsaved);
  const close = (): void => {
    wallMenuOpen.value = false;
    isEditing.value = false;
  };
  return (
    <>
      <Popover icon="live" label={words.savedWalls} text={name} shortcut="W" isOpen={wallMenuOpen}>
        <MenuItem
          name={words.allCameras}
          isCurrent={shown.isAutomatic === true}
          onClick={() => {
            close();
            showWall({ ...shown, isAutomatic: true });
          }}
        />
        <hr />
        {saved.length === 0 && <p class="menu-hint">{words.noSavedWalls}</p>}
        {saved.map((view) => (
          <SavedItem key={view.Id} view={view} isCurrent={view === current} onClose={close} />
        ))}
        {maySaveWalls() && (
          <button
            type="button"
            class="menu-item"
            onClick={() => {
              close();
              saving.value = true;
            }}
          >
            <Icon name="download" />
            {words.saveWall}
          </button>
        )}
      </Popover>
      {saving.value && <SaveDialog suggested={current?.Name ?? ""} />}
      {removing.value !== undefined && <RemoveDialog view={removing.value} />}
    </>
  );
}

interface MenuItemProps {
  readonly name: string;
  readonly isCurrent: boolean;
  readonly onClick: () => void;
}

function MenuItem({ name, isCurrent, onClick }: MenuItemProps) {
  return (
    <button type="button" class="menu-item" aria-current={isCurrent} onClick={onClick}>
      <Icon name="grid" />
      <span class="menu-name">{name}</span>
    </button>
  );
}

interface SavedItemProps {
  readonly view: SavedWall;
  readonly isCurrent: boolean;
  readonly onClose: () => void;
}

function SavedItem({ view, isCurrent, onClose }: SavedItemProps) {
  const words = wallWords();
  return (
    <div class="menu-row">
      <MenuItem
        name={view.Name}
        isCurrent={isCurrent}
        onClick={() => {
          onClose();
          const left = openSavedWall(view);
          if (left > 0) say(words.tooMany(left));
        }}
      />
      {maySaveWalls() && (
        <IconButton
          icon="close"
          label={words.removeWall(view.Name)}
          onClick={() => {
            onClose();
            removing.value = view;
          }}
        />
      )}
    </div>
  );
}

function SaveDialog({ suggested }: { readonly suggested: string }) {
  const words = wallWords();
  const name = useSignal(suggested);
  const fault = useSignal("");
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    try {
      await saveWall(name.value.trim());
      say(words.saved(name.value.trim()));
      saving.value = false;
    } catch (error) {
      fault.value = errorWords(error);
    }
  }
  return (
    <Dialog title={words.saveTitle} onClose={() => (saving.value = false)}>
      <form class="dialog-form" onSubmit={(event) => void submit(event)}>
        <Field label={words.saveName} hint={words.saveHint} text={name} maxLength={128} required autofocus />
        <Fault text={fault.value} />
        <Button type="submit" kind="main">
          {commonWords().save}
        </Button>
      </form>
    </Dialog>
  );
}

function RemoveDialog({ view }: { readonly view: SavedWall }) {
  const words = wallWords();
  const close = (): void => {
    removing.value = undefined;
  };
  const remove = (): void => {
    close();
    removeSavedWall(view.Id).then(() => say(words.removed(view.Name)), sayError);
  };
  return (
    <Dialog title={words.removeWall(view.Name)} onClose={close}>
      <div class="dialog-form">
        <p>{words.removeQuestion(view.Name)}</p>
        <div class="dialog-buttons">
          <Button onClick={close}>{commonWords().cancel}</Button>
          <Button kind="danger" onClick={remove}>
            {commonWords().remove}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
