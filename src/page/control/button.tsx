import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.js";

interface ButtonProps {
  readonly onClick?: (event: MouseEvent) => void;
  readonly kind?: "plain" | "main" | "danger";
  readonly type?: "button" | "submit";
  readonly disabled?: boolean;
  /** It changes what the form that it stands in will save. */
  readonly changes?: boolean;
  /** What is read aloud where the words alone do not say it: which of several is meant. Has the words in it. */
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A button with words. */
export function Button(props: ButtonProps) {
  const { kind = "plain", type = "button", disabled, changes, label, children } = props;
  return (
    <button
      type={type}
      class={`button ${kind}`}
      aria-disabled={disabled || undefined}
      aria-label={label}
      data-changes={changes}
      onClick={pressOf(props)}
    >
      {children}
    </button>
  );
}

/**
 * What a press does. A button that is off stays where the focus is: one with `disabled` would lose it, and who works by keys or
 * listens would begin at the top again. It sends no form either, whether it is pressed or Enter in a field means it.
 */
function pressOf({ disabled, onClick }: Pick<ButtonProps, "disabled" | "onClick">): ButtonProps["onClick"] {
  return disabled === true ? (event) => event.preventDefault() : onClick;
}

interface IconButtonProps {
  readonly icon: IconName;
  /** What it does; shown as its tip and read aloud. */
  readonly label: string;
  readonly onClick?: (event: MouseEvent) => void;
  /** For a button that stays pressed. */
  readonly pressed?: boolean | undefined;
  /** For a button that opens something beside it: whether it is open. */
  readonly expanded?: boolean;
  readonly disabled?: boolean;
  /** The key that does the same, as `aria-keyshortcuts` writes it. */
  readonly shortcut?: string;
  /** -1 where another way than Tab leads to it. */
  readonly tabIndex?: number;
}

/** A button with a picture; its name is its label. */
export function IconButton(props: IconButtonProps) {
  const { icon, label, pressed, expanded, disabled, shortcut, tabIndex } = props;
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={shortcut === undefined ? label : `${label} (${shortcut})`}
      aria-pressed={pressed}
      aria-expanded={expanded}
      aria-keyshortcuts={shortcut}
      aria-disabled={disabled || undefined}
      tabIndex={tabIndex}
      onClick={pressOf(props)}
    >
      <Icon name={icon} />
    </button>
  );
}
