import type { KeyBinding } from "../control/keys.js";
import { rights } from "../state/channels.js";
import { open } from "../state/route.js";
import { wallWords } from "../words/wall.js";
import { toggleFullScreen } from "./full-screen.js";
import { TILE_COUNTS } from "./layout/layout.js";
import { openBeside } from "./saved-walls.js";
import { canTalk, hold } from "./talk/talk.js";
import { pilot, takeAway } from "./tile/tile-actions.js";
import { sayUndone } from "./undo.js";
import {
  channelOf,
  chooseTiles,
  enlarge,
  enlarged,
  goToPage,
  heard,
  layoutMenuOpen,
  listIsOpen,
  selectBeside,
  selected,
  showsBoxes,
  showsFigures,
  toggle,
  toggleMain,
  wall,
  wallMenuOpen,
} from "./wall-state.js";

function chosenChannel() {
  return channelOf(wall.value.tiles[selected.value]);
}

/** The chosen tile has the focus, so that Tab goes on to its controls. */
function focusChosen(): void {
  // After the tiles know which one is chosen.
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[data-tile="${selected.value}"] .tile-surface`)?.focus(),
  );
}

function goBeside(dx: number, dy: number): void {
  selectBeside(dx, dy);
  focusChosen();
}

function changeTiles(by: 1 | -1): void {
  const now = wall.value.layout.places.length;
  const next =
    by > 0 ? TILE_COUNTS.find((count) => count > now) : TILE_COUNTS.findLast((count) => count < now);
  if (next !== undefined) chooseTiles(next);
}

/** A press of the button that the chosen tile has for it: what it may do, the button knows. */
function pressControl(shortcut: string): void {
  document
    .querySelector<HTMLElement>(
      `[data-tile="${selected.value}"] .tile-controls [aria-keyshortcuts="${shortcut}"]`,
    )
    ?.click();
}

/** The keys of the wall. */
export function wallKeys(): readonly KeyBinding[] {
  return [...tileKeys(), ...cameraKeys(), ...wallWideKeys()];
}

function tileKeys(): readonly KeyBinding[] {
  const { keys } = wallWords();
  return [
    { key: "ArrowLeft", words: keys.move, act: () => goBeside(-1, 0) },
    { key: "ArrowRight", words: keys.move, act: () => goBeside(1, 0) },
    { key: "ArrowUp", words: keys.move, act: () => goBeside(0, -1) },
    { key: "ArrowDown", words: keys.move, act: () => goBeside(0, 1) },
    {
      key: "Enter",
      words: keys.enlarge,
      act: () => enlarge(enlarged.value === undefined ? selected.value : undefined),
    },
    {
      key: "Escape",
      words: keys.back,
      act: () => {
        // What covers the tiles goes first, wherever the focus is: the list takes it only once it is loaded.
        if (listIsOpen.value) listIsOpen.value = false;
        else enlarge(undefined);
        focusChosen();
      },
    },
    {
      key: "Delete",
      words: keys.clear,
      act: () => {
        const { tiles } = wall.value;
        if (tiles[selected.value] !== undefined)
          takeAway(selected.value, chosenChannel()?.Name ?? wallWords().tile(selected.value + 1));
      },
    },
    { key: "z", words: keys.undo, act: sayUndone },
  ];
}

function cameraKeys(): readonly KeyBinding[] {
  const words = wallWords();
  return [
    {
      key: "h",
      words: words.main,
      act: () => {
        const channel = chosenChannel();
        if (channel !== undefined && rights.value.CanReceiveMainStream) toggleMain(channel.Id);
      },
    },
    {
      key: "m",
      words: words.keys.sound,
      act: () => {
        if (chosenChannel()?.IsSoundOn === true && rights.value.CanReceiveSound)
          toggle(selected.value, heard);
      },
    },
    {
      key: "t",
      words: words.talk.name,
      act: ({ repeat }) => {
        const channel = chosenChannel();
        if (!repeat && canTalk(channel)) void hold(channel);
      },
    },
    { key: "o", words: words.devices.both, act: () => pressControl("O") },
    { key: "s", words: words.still, act: () => pressControl("S") },
    {
      key: "p",
      words: words.move,
      act: () => {
        if (chosenChannel()?.IsPtzOn === true && rights.value.CanPTZ) pilot(selected.value);
      },
    },
    {
      key: "r",
      words: words.recordings,
      act: () => {
        const channel = chosenChannel();
        if (channel?.AllowedArchive === true) open("playback", { channel: channel.Id });
      },
    },
  ];
}

function wallWideKeys(): readonly KeyBinding[] {
  const words = wallWords();
  const { keys } = words;
  return [
    { key: "c", words: keys.cameras, act: () => (listIsOpen.value = !listIsOpen.value) },
    { key: "l", words: keys.layout, act: () => (layoutMenuOpen.value = !layoutMenuOpen.value) },
    { key: "w", words: keys.walls, act: () => (wallMenuOpen.value = !wallMenuOpen.value) },
    { key: "+", words: keys.more, act: () => changeTiles(1) },
    { key: "-", words: keys.fewer, act: () => changeTiles(-1) },
    { key: "PageDown", words: keys.nextPage, act: () => goToPage(wall.value.page + 1) },
    { key: "PageUp", words: keys.previousPage, act: () => goToPage(wall.value.page - 1) },
    { key: "]", words: keys.next, act: () => openBeside(1) },
    { key: "[", words: keys.previous, act: () => openBeside(-1) },
    { key: "b", words: words.boxes, act: () => (showsBoxes.value = !showsBoxes.value) },
    { key: "d", words: words.figures, act: () => (showsFigures.value = !showsFigures.value) },
    { key: "f", words: words.fullScreen, act: toggleFullScreen },
  ];
}
