import { signal } from "@preact/signals";
import { Icon } from "../../control/icon.js";
import { wallWords } from "../../words/wall.js";
import { Popover } from "../popover.js";
import { changeLayout, chooseTiles, enlarge, isEditing, wall } from "../wall-state.js";
import { type Layout, layoutOf, TILE_COUNTS } from "./layout.js";

export const layoutMenuOpen = signal(false);

export function LayoutMenu() {
  const words = wallWords();
  const { layout } = wall.value;
  const isNow = (count: number): boolean => !layout.isFree && layout.places.length === count;
  return (
    <Popover icon="grid" label={words.layout} shortcut="L" kind="of-layout" isOpen={layoutMenuOpen}>
      <div class="layout-choices">
        {TILE_COUNTS.map((count) => (
          <button
            key={count}
            type="button"
            class="layout-choice"
            aria-label={words.layoutTiles(count)}
            aria-current={isNow(count)}
            onClick={() => {
              layoutMenuOpen.value = false;
              chooseTiles(count);
            }}
          >
            <LayoutPicture layout={layoutOf(count)} />
            <span aria-hidden="true">{count}</span>
          </button>
        ))}
      </div>
      <button type="button" class="menu-item" aria-current={layout.isFree} onClick={beginEditing}>
        <Icon name="edit" />
        {words.freeLayout}
      </button>
    </Popover>
  );
}

export function beginEditing(): void {
  layoutMenuOpen.value = false;
  enlarge(undefined);
  changeLayout((free) => free);
  isEditing.value = true;
}

/** A small drawing of a layout. */
function LayoutPicture({ layout }: { readonly layout: Layout }) {
  const { columns, rows, places } = layout;
  const [across, down] = [32 / columns, 20 / rows];
  return (
    <svg class="layout-picture" viewBox="0 0 32 20" aria-hidden="true" focusable="false">
      {places.map(({ x, y, width, height }) => (
        <rect
          key={`${x} ${y}`}
          x={x * across + 0.6}
          y={y * down + 0.6}
          width={width * across - 1.2}
          height={height * down - 1.2}
          rx="0.8"
        />
      ))}
    </svg>
  );
}
