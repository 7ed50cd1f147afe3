import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.js";

interface ButtonProps {
  readonly onClick?: (event: MouseEvent) => void;
  readonly kind?: "plain" | "main" | "danger";
  readonly type?: "button" | "submit";
  readonly disabled?: boolean;
  /** What is read aloud where the words alone do not say it: which of several is meant. Has the words in it. */
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A button with words. */
export function Button(props: ButtonProps) {
  const { onClick, kind = "plain", type = "button", disabled, label, children } = props;
  return (
    <button type={type} class={`button ${kind}`} disabled={disabled} aria-label={label} onClick={onClick}>
      {children}
    </button>
  );
}

interface IconButtonProps {
  readonly icon: IconName;
  /** What it does; shown as its tip and read aloud. */
  readonly label: string;
  readonly onClick?: (event: MouseEvent) => void;
  /** For a button that stays pressed. */
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  /** The key that does the same, as `aria-keyshortcuts` writes it. */
  readonly shortcut?: string;
  /** -1 where another way than Tab leads to it. */
  readonly tabIndex?: number;
}

/** A button with a picture; its name is its label. */
export function IconButton(props: IconButtonProps) {
  const { icon, label, onClick, pressed, disabled, shortcut, tabIndex } = props;
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={shortcut === undefined ? label : `${label} (${shortcut})`}
      aria-pressed={pressed}
      aria-keyshortcuts={shortcut}
      disabled={disabled}
      tabIndex={tabIndex}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
