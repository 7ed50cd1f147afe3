import { useId } from "preact/hooks";

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
  readonly disabled?: boolean;
  /** Shown below it, and read with it. */
  readonly hint?: string;
  /** The label is only read aloud: a heading shows it. */
  readonly quiet?: boolean;
}

/** A box to tick with its words. */
export function Check({ label, checked, onChecked, disabled, hint, quiet }: CheckProps) {
  const id = useId();
  return (
    <div class="tick">
      <label>
        <input
          type="checkbox"
          checked={checked}
          disabled={disabled}
          aria-describedby={hint === undefined ? undefined : id}
          onChange={(event) => onChecked(event.currentTarget.checked)}
        />
        <span class={quiet === true ? "only-read" : undefined}>{label}</span>
      </label>
      {hint !== undefined && (
        <p class="hint" id={id}>
          {hint}
        </p>
      )}
    </div>
  );
}
