import "./camera-list.css";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button, IconButton } from "../control/button.js";
import { Field } from "../control/field.js";
import { Icon } from "../control/icon.js";
import type { Channel } from "../state/channels.js";
import { isSought, placeOf } from "../state/groups.js";
import { commonWords } from "../words/common.js";
import { wallWords } from "../words/wall.js";
import { beginDrag, type DragLoad } from "./drag.js";
import { addCamera, addPage, listIsOpen, selected, showCamera, wall, watchable } from "./wall-state.js";

/** The cameras that may be watched: a click puts one into the marked tile, a drag into any. */
export function CameraList() {
  const words = wallWords();
  const sought = useSignal("");
  const root = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    root.current?.querySelector("input")?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const shown = new Set(wall.value.cameras);
  const found = (watchable.value ?? []).filter((channel) => isSought(channel, sought.value));
  const rows = useGrowing(found.length);
  const places = byPlace(found.slice(0, rows));
  return (
    <aside class="camera-list" aria-label={words.cameraList} ref={root} onKeyDown={closeByEscape}>
      <header>
        <h2>{words.cameras}</h2>
        <IconButton icon="close" label={commonWords().close} onClick={() => (listIsOpen.value = false)} />
      </header>
      <Field label={words.findCamera} type="search" text={sought} maxLength={128} />
      <p class="hint">
        {words.listHint} {words.tile(selected.value + 1)}.
      </p>
      {[...places].map(([place, cameras]) => (
        <section key={place} aria-label={place === "" ? words.cameras : place}>
          {place !== "" && <h3 class="camera-place">{place}</h3>}
          <ul>
            {cameras.map((channel) => (
              <CameraItem key={channel.Id} channel={channel} isShown={shown.has(channel.Id)} />
            ))}
          </ul>
        </section>
      ))}
      {found.length === 0 && <p class="hint">{words.noMatch}</p>}
      <Button onClick={addPage}>{words.addPage}</Button>
    </aside>
  );
}

/** Rows that are added at a time: many at once would hold the page. */
const ROWS_AT_ONCE = 40;

/** How many of so many rows are shown now: soon all of them. */
function useGrowing(rows: number): number {
  const shown = useSignal(ROWS_AT_ONCE);
  const isMore = shown.value < rows;
  useEffect(() => {
    if (!isMore) return;
    const timer = setTimeout(() => (shown.value += ROWS_AT_ONCE), 0);
    return () => clearTimeout(timer);
  }, [isMore, shown.value]);
  return shown.value;
}

/** Cameras of the same folder together, those of none first. */
function byPlace(cameras: readonly Channel[]): ReadonlyMap<string, readonly Channel[]> {
  const places = new Map<string, Channel[]>([["", []]]);
  for (const channel of cameras) {
    const place = placeOf(channel.Id);
    const there = places.get(place) ?? [];
    there.push(channel);
    places.set(place, there);
  }
  return places;
}

function closeByEscape(event: KeyboardEvent): void {
  if (event.key !== "Escape") return;
  event.preventDefault();
  listIsOpen.value = false;
}

interface CameraItemProps {
  readonly channel: Channel;
  readonly isShown: boolean;
}

function CameraItem({ channel: { Id, Name }, isShown }: CameraItemProps) {
  const words = wallWords();
  const drop = (_load: DragLoad, tile: number): void => {
    showCamera(tile, Id);
    selected.value = tile;
  };
  return (
    <li>
      <button
        type="button"
        class="camera-item"
        onPointerDown={(event) => {
          // A finger on the list scrolls it; it drags by the grip.
          const isGrip = event.target instanceof Element && event.target.closest(".grip") !== null;
          if (event.pointerType === "mouse" || isGrip)
            beginDrag(event, { kind: "camera", id: Id, name: Name }, drop);
        }}
        onClick={() => addCamera(Id)}
      >
        <span class="grip">
          <Icon name="move" />
        </span>
        <span class="menu-name">{Name}</span>
        {isShown && (
          <span class="on-wall" title={words.onWall}>
            <span class="only-read">{words.onWall}</span>
          </span>
        )}
      </button>
    </li>
  );
}
