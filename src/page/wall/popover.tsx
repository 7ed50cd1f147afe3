import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Icon, type IconName } from "../control/icon.js";

interface PopoverProps {
  readonly icon: IconName;
  /** Name of the button and of what it opens. */
  readonly label: string;
  /** Shown beside the icon. */
  readonly text?: string;
  readonly shortcut?: string;
  /** For the style sheet. */
  readonly kind?: string;
  readonly isOpen: Signal<boolean>;
  readonly children: ComponentChildren;
}

/** A button that opens a small panel below itself. Escape and a press elsewhere close it; the focus goes back. */
export function Popover({ icon, label, text, shortcut, kind, isOpen, children }: PopoverProps) {
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const open = isOpen.value;
  useEffect(() => {
    if (!open) return;
    const panel = root.current?.querySelector(".wall-popover-panel");
    const first = panel?.querySelector<HTMLElement>("[aria-current=true]") ?? panel?.querySelector("button");
    first?.focus();
    const onPress = (event: PointerEvent): void => {
      if (event.target instanceof Node && root.current?.contains(event.target) === false)
        isOpen.value = false;
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      // Before the keys of the screen, for which Escape means something else.
      event.preventDefault();
      isOpen.value = false;
      button.current?.focus();
    };
    document.addEventListener("pointerdown", onPress);
    document.addEventListener("keydown", onKey, { capture: true });
    return () => {
      document.removeEventListener("pointerdown", onPress);
      document.removeEventListener("keydown", onKey, { capture: true });
    };
  }, [open]);
  return (
    <div class={kind === undefined ? "wall-popover" : `wall-popover ${kind}`} ref={root}>
      <button
        ref={button}
        type="button"
        class={text === undefined ? "icon-button" : "wall-popover-button"}
        aria-label={text === undefined ? label : undefined}
        title={shortcut === undefined ? label : `${label} (${shortcut})`}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-keyshortcuts={shortcut}
        onClick={() => (isOpen.value = !open)}
      >
        <Icon name={icon} />
        {text !== undefined && <span>{text}</span>}
      </button>
      {open && (
        <section class="wall-popover-panel" id={id} aria-label={label}>
          {children}
        </section>
      )}
    </div>
  );
}
