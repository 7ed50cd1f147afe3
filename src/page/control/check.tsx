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

interface CheckListProps<Id extends string> {
  readonly label: string;
  readonly options: readonly (readonly [Id, string])[];
  readonly chosen: ReadonlySet<Id>;
  readonly onChosen: (chosen: ReadonlySet<Id>) => void;
}

/** Several of many. */
export function CheckList<Id extends string>({ label, options, chosen, onChosen }: CheckListProps<Id>) {
  const change = (id: Id, isChosen: boolean): void => {
    const next = new Set(chosen);
    if (isChosen) next.add(id);
    else next.delete(id);
    onChosen(next);
  };
  return (
    <fieldset class="check-list">
      <legend>{label}</legend>
      {options.map(([id, name]) => (
        <Check
          key={id}
          label={name}
          checked={chosen.has(id)}
          onChecked={(isChosen) => change(id, isChosen)}
        />
      ))}
    </fieldset>
  );
}
