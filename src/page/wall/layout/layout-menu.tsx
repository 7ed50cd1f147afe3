import { Loaded } from "../../control/loaded.js";
import { wallWords } from "../../words/wall.js";
import { WALL_PARTS } from "../parts.js";
import { Popover } from "../popover.js";
import { layoutMenuOpen } from "../wall-state.js";

export function LayoutMenu() {
  return (
    <Popover icon="grid" label={wallWords().layout} shortcut="L" kind="of-layout" isOpen={layoutMenuOpen}>
      <Loaded load={WALL_PARTS.layout} props={{}} />
    </Popover>
  );
}
