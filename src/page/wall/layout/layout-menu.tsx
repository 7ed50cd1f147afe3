import { signal } from "@preact/signals";
import { Loaded } from "../../control/loaded.js";
import { wallWords } from "../../words/wall.js";
import { WALL_PARTS } from "../parts.js";
import { Popover } from "../popover.js";

export const layoutMenuOpen = signal(false);

export function LayoutMenu() {
  return (
    <Popover icon="grid" label={wallWords().layout} shortcut="L" kind="of-layout" isOpen={layoutMenuOpen}>
      <Loaded load={WALL_PARTS.layout} props={{}} />
    </Popover>
  );
}
