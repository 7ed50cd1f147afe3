import { useEffect, useRef } from "preact/hooks";
import { Loaded } from "../control/loaded.js";
import { wallWords } from "../words/wall.js";
import { dragged } from "./drag.js";
import { followStage } from "./layout/stage-size.js";
import { WALL_PARTS } from "./parts.js";
import { Tile } from "./tile/tile.js";
import { enlarged, isEditing, wall } from "./wall-state.js";

/** The tiles. */
export function Stage() {
  const { layout, tiles, cameras, source, isFilled } = wall.value;
  const over = dragged.value?.over;
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => (root.current === null ? undefined : followStage(root.current)), []);
  const classes = [
    "stage",
    enlarged.value === undefined ? "" : "has-enlarged",
    isEditing.value ? "editing" : "",
    isFilled ? "filled" : "",
  ];
  return (
    <div class={classes.filter((name) => name !== "").join(" ")} ref={root}>
      <ul
        class="tiles"
        aria-label={wallWords().tiles}
        data-over={over}
        style={{
          gridTemplateColumns: `repeat(${layout.columns}, minmax(0, 1fr))`,
          gridTemplateRows: `repeat(${layout.rows}, minmax(0, 1fr))`,
        }}
      >
        {layout.places.map((place, index) => (
          // A tile that gets another camera stays: its place in the list is what it is.
          <Tile key={index} index={index} id={tiles[index]} place={place} />
        ))}
      </ul>
      {source === "happening" && cameras.length === 0 && <NothingHappens />}
      {isEditing.value && <Loaded load={WALL_PARTS.editLayer} props={{}} />}
      <DragGhost />
    </div>
  );
}

function NothingHappens() {
  const { nothing, nothingText } = wallWords().happening;
  return (
    <div class="nothing-happens" role="status">
      <p>{nothing}</p>
      <p>{nothingText}</p>
    </div>
  );
}

/** What is dragged, beside the pointer. */
function DragGhost() {
  const now = dragged.value;
  if (now === undefined) return null;
  return (
    <div
      class="drag-ghost"
      aria-hidden="true"
      style={{ transform: `translate(${now.x + 12}px, ${now.y + 12}px)` }}
    >
      {now.load.name}
    </div>
  );
}
