import "./edit.css";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Button } from "../../control/button.js";
import { useKeys } from "../../control/keys.js";
import { say } from "../../control/notice.js";
import { wallWords } from "../../words/wall.js";
import { moved, resized } from "../layout/free-layout.js";
import { FREE_CELLS, freed, type Layout, type Place } from "../layout/layout.js";
import { sayUndo } from "../undo.js";
import { channelOf, isEditing, selected, wall } from "../wall-state.js";
import { addTile, changeLayout, removeTile } from "./edit-tiles.js";

type Change = (layout: Layout) => Layout | undefined;

function apply(change: Change): void {
  if (!changeLayout(change)) say(wallWords().noRoom);
}

function takeTile(): void {
  if (removeTile(selected.value)) sayUndo(wallWords().tileRemoved);
}

function moveBy(dx: number, dy: number): void {
  const index = selected.value;
  const place = wall.value.layout.places[index];
  if (place !== undefined) apply((layout) => moved(layout, index, place.x + dx, place.y + dy));
}

function resizeBy(dx: number, dy: number): void {
  const index = selected.value;
  const place = wall.value.layout.places[index];
  if (place !== undefined) apply((layout) => resized(layout, index, place.width + dx, place.height + dy));
}

/** Over the wall while it is arranged: tiles are moved and resized, added and removed. */
export function EditLayer() {
  const words = wallWords();
  const root = useRef<HTMLDivElement>(null);
  const outline = useSignal<{ place: Place; fits: boolean } | undefined>(undefined);
  useEditKeys();
  // Tiles are in the grid of a free layout from now on.
  useEffect(() => void changeLayout((free) => free), []);
  const { layout, tiles } = wall.value;
  const nameOf = (index: number): string => channelOf(tiles[index])?.Name ?? words.tile(index + 1);
  return (
    <div class="edit-layer" ref={root}>
      {layout.places.map((place, index) => (
        <EditTile
          key={`${place.x} ${place.y}`}
          index={index}
          place={place}
          name={nameOf(index)}
          cell={() => (root.current?.clientWidth ?? 0) / FREE_CELLS}
          row={() => (root.current?.clientHeight ?? 0) / FREE_CELLS}
          onOutline={(shown) => (outline.value = shown)}
        />
      ))}
      {outline.value !== undefined && (
        <div
          class={outline.value.fits ? "edit-outline" : "edit-outline unfit"}
          style={areaOf(outline.value.place)}
        />
      )}
    </div>
  );
}

/** In place of the wall's bar while it is arranged. */
export function EditBar() {
  const words = wallWords();
  return (
    <div class="wall-bar edit-bar" role="toolbar" aria-label={words.freeLayout}>
      <p>{words.editHint}</p>
      <Button onClick={() => addTile() || say(words.noRoom)}>{words.addTile}</Button>
      <Button onClick={takeTile}>{words.removeTile}</Button>
      <Button kind="main" onClick={() => (isEditing.value = false)}>
        {words.done}
      </Button>
    </div>
  );
}

function useEditKeys(): void {
  const words = wallWords();
  const bindings = useMemo(
    () => [
      { key: "ArrowLeft", words: words.moveTile(""), act: () => moveBy(-1, 0) },
      { key: "ArrowRight", words: words.moveTile(""), act: () => moveBy(1, 0) },
      { key: "ArrowUp", words: words.moveTile(""), act: () => moveBy(0, -1) },
      { key: "ArrowDown", words: words.moveTile(""), act: () => moveBy(0, 1) },
      { key: "Shift+ArrowLeft", words: words.resizeTile(""), act: () => resizeBy(-1, 0) },
      { key: "Shift+ArrowRight", words: words.resizeTile(""), act: () => resizeBy(1, 0) },
      { key: "Shift+ArrowUp", words: words.resizeTile(""), act: () => resizeBy(0, -1) },
      { key: "Shift+ArrowDown", words: words.resizeTile(""), act: () => resizeBy(0, 1) },
      { key: "Delete", words: words.removeTile, act: takeTile },
      { key: "n", words: words.addTile, act: () => void (addTile() || say(words.noRoom)) },
      { key: "Escape", words: words.done, act: () => (isEditing.value = false) },
    ],
    [words],
  );
  useKeys(bindings);
}

interface EditTileProps {
  readonly index: number;
  readonly place: Place;
  readonly name: string;
  readonly cell: () => number;
  readonly row: () => number;
  readonly onOutline: (shown: { place: Place; fits: boolean } | undefined) => void;
}

function EditTile({ index, place, name, cell, row, onOutline }: EditTileProps) {
  const words = wallWords();
  const follow = (event: PointerEvent, kind: "move" | "resize"): void => {
    if (event.button !== 0) return;
    event.stopPropagation();
    selected.value = index;
    const change = (at: PointerEvent): { wanted: Place; act: Change } => {
      const dx = Math.round((at.clientX - event.clientX) / cell());
      const dy = Math.round((at.clientY - event.clientY) / row());
      return kind === "move"
        ? {
            wanted: { ...place, x: place.x + dx, y: place.y + dy },
            act: (layout) => moved(layout, index, place.x + dx, place.y + dy),
          }
        : {
            wanted: {
              ...place,
              width: Math.max(1, place.width + dx),
              height: Math.max(1, place.height + dy),
            },
            act: (layout) => resized(layout, index, place.width + dx, place.height + dy),
          };
    };
    followPointer(event, {
      onMove: (at) => {
        const { wanted, act } = change(at);
        const next = act(freed(wall.value.layout));
        onOutline({ place: next?.places[index] ?? wanted, fits: next !== undefined });
      },
      onEnd: (at) => {
        onOutline(undefined);
        if (at !== undefined) apply(change(at).act);
      },
    });
  };
  return (
    <div class={selected.value === index ? "edit-tile selected" : "edit-tile"} style={areaOf(place)}>
      <button
        type="button"
        class="edit-move"
        aria-label={words.moveTile(name)}
        aria-pressed={selected.value === index}
        onFocus={() => (selected.value = index)}
        onPointerDown={(event) => follow(event, "move")}
      >
        <span class="tile-name">{name}</span>
      </button>
      <button
        type="button"
        class="edit-corner"
        aria-label={words.resizeTile(name)}
        onFocus={() => (selected.value = index)}
        onPointerDown={(event) => follow(event, "resize")}
      />
    </div>
  );
}

function areaOf({ x, y, width, height }: Place): Record<string, string> {
  const percent = (cells: number): string => `${(cells * 100) / FREE_CELLS}%`;
  return { left: percent(x), top: percent(y), width: percent(width), height: percent(height) };
}

interface PointerFollower {
  readonly onMove: (event: PointerEvent) => void;
  /** Undefined when it was broken off. */
  readonly onEnd: (event: PointerEvent | undefined) => void;
}

function followPointer({ pointerId }: PointerEvent, { onMove, onEnd }: PointerFollower): void {
  const controller = new AbortController();
  const options = { signal: controller.signal };
  const end = (event?: PointerEvent): void => {
    controller.abort();
    onEnd(event);
  };
  window.addEventListener("pointermove", (event) => event.pointerId === pointerId && onMove(event), options);
  window.addEventListener("pointerup", (event) => event.pointerId === pointerId && end(event), options);
  window.addEventListener("pointercancel", () => end(), options);
}
