import { wallWords } from "../words/wall.js";
import { dragged } from "./drag.js";
import { EditLayer } from "./edit-layer.js";
import { Tile } from "./tile.js";
import { enlarged, isEditing, wall } from "./wall-state.js";

/** The tiles. */
export function Stage() {
  const { layout, cameras } = wall.value;
  const over = dragged.value?.over;
  return (
    <div
      class={`stage${enlarged.value === undefined ? "" : " has-enlarged"}${isEditing.value ? " editing" : ""}`}
    >
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
          <Tile key={index} index={index} id={cameras[index]} place={place} />
        ))}
      </ul>
      {isEditing.value && <EditLayer />}
      <DragGhost />
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
