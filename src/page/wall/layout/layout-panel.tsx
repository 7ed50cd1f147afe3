import "./layout-panel.css";
import { useEffect, useRef } from "preact/hooks";
import { Check } from "../../control/check.js";
import { Choice } from "../../control/field.js";
import { Icon } from "../../control/icon.js";
import { arrowsWithin } from "../../control/toolbar.js";
import { wallWords } from "../../words/wall.js";
import {
  chooseLayout,
  chooseLook,
  chooseTiles,
  enlarge,
  isEditing,
  layoutMenuOpen,
  wall,
} from "../wall-state.js";
import { evenLayout, type Layout, layoutOf, TILE_COUNTS } from "./layout.js";

/** How many tiles, how pictures lie in them, and whether pages change by themselves. */
export function LayoutPanel() {
  const words = wallWords();
  const { layout, isFilled } = wall.value;
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const first = root.current?.querySelector<HTMLElement>("[aria-current=true]");
    (first ?? root.current?.querySelector("button"))?.focus();
  }, []);
  const isNow = (count: number): boolean =>
    !layout.isFree && layout.isEven !== true && layout.places.length === count;
  return (
    <div ref={root}>
      <div class="layout-tiles">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows go between the buttons within. */}
        <div class="layout-choices" onKeyDown={arrowsWithin}>
          <LayoutChoice
            name={words.asFits}
            sign={words.asFitsSign}
            layout={evenLayout(5)}
            isNow={layout.isEven === true}
            onChoose={() => chooseLayout(undefined)}
          />
          {TILE_COUNTS.map((count) => (
            <LayoutChoice
              key={count}
              name={words.layoutTiles(count)}
              sign={String(count)}
              layout={layoutOf(count)}
              isNow={isNow(count)}
              onChoose={() => chooseTiles(count)}
            />
          ))}
        </div>
        <button type="button" class="menu-item" aria-current={layout.isFree} onClick={beginEditing}>
          <Icon name="edit" />
          {words.freeLayout}
        </button>
      </div>
      <div class="layout-look">
        <Check
          label={words.fill}
          hint={words.fillHint}
          checked={isFilled}
          onChecked={(next) => chooseLook({ isFilled: next })}
        />
        <RotationChoice />
      </div>
    </div>
  );
}

interface LayoutChoiceProps {
  readonly name: string;
  readonly sign: string;
  readonly layout: Layout;
  readonly isNow: boolean;
  readonly onChoose: () => void;
}

function LayoutChoice({ name, sign, layout, isNow, onChoose }: LayoutChoiceProps) {
  return (
    <button
      type="button"
      class="layout-choice"
      aria-label={name}
      title={name}
      aria-current={isNow}
      onClick={() => {
        layoutMenuOpen.value = false;
        onChoose();
      }}
    >
      <LayoutPicture layout={layout} />
      <span aria-hidden="true">{sign}</span>
    </button>
  );
}

/** Seconds that a page is shown for. */
const ROTATIONS = [0, 5, 10, 15, 20, 30, 60, 120, 300] as const;

function RotationChoice() {
  const words = wallWords();
  const { rotationS } = wall.value;
  // A saved wall may have any other number.
  const offered = [...new Set<number>([...ROTATIONS, rotationS])].toSorted((one, other) => one - other);
  return (
    <Choice
      label={words.rotation}
      value={String(rotationS)}
      options={offered.map((seconds) => [String(seconds), words.rotationOf(seconds)] as const)}
      onValue={(seconds) => chooseLook({ rotationS: Number(seconds) })}
    />
  );
}

function beginEditing(): void {
  layoutMenuOpen.value = false;
  enlarge(undefined);
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
