import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../control/icon.js";
import { arrowsWithin } from "../../control/toolbar.js";
import type { TileAction } from "./tile-actions.js";

interface TileMenuProps {
  readonly label: string;
  readonly actions: readonly TileAction[];
  readonly onClose: () => void;
}

/** All that can be done with a camera, in words: over the page, as a small tile has no room for it. */
export function TileMenu({ label, actions, onClose }: TileMenuProps) {
  const root = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    const menu = root.current;
    const before = document.activeElement;
    if (menu === null) return;
    menu.showPopover();
    place(menu);
    menu.querySelector<HTMLElement>("button")?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <fieldset
      ref={root}
      class="tile-menu"
      popover="auto"
      onToggle={(event) => event.newState === "closed" && onClose()}
      onKeyDown={(event) => {
        if (event.key === "Escape") event.preventDefault();
        if (event.key === "Escape") onClose();
        arrowsWithin(event);
      }}
    >
      <legend class="only-read">{label}</legend>
      {actions.map(({ icon, label: name, shortcut, pressed, act }) => (
        <button
          key={shortcut}
          type="button"
          class="menu-item"
          aria-pressed={pressed}
          onClick={() => {
            onClose();
            act();
          }}
        >
          <Icon name={icon} />
          <span class="menu-name">{name}</span>
          <kbd>{shortcut}</kbd>
        </button>
      ))}
    </fieldset>
  );
}

/** Above the controls of its tile, as far as the window has room. */
function place(menu: HTMLElement): void {
  const { right, top } = menu.parentElement?.getBoundingClientRect() ?? new DOMRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const inside = (at: number, length: number, room: number): number =>
    Math.max(0, Math.min(at, room - length));
  menu.style.left = `${inside(right - width, width, innerWidth)}px`;
  menu.style.top = `${inside(top - height, height, innerHeight)}px`;
}
