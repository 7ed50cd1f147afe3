import { type Signal, useSignal } from "@preact/signals";
import type { InputHTMLAttributes } from "preact";
import { useId } from "preact/hooks";
import { commonWords } from "../words/common.js";
import { IconButton } from "./button.js";
import { useFieldFault } from "./form-faults.js";

/** The text of a field: a signal, or a text and what a change of it does. */
type FieldText =
  | { readonly text: Signal<string> }
  | { readonly value: string; readonly onValue: (value: string) => void };

interface FieldLook {
  readonly label: string;
  readonly type?: "text" | "password" | "search" | "date" | "datetime-local" | "time";
  readonly autocomplete?: string;
  /** Shown below it, and read with it. */
  readonly hint?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly autofocus?: boolean;
  readonly invalid?: boolean;
}

/** A field of a form with its label. */
export function Field(props: FieldLook & FieldText) {
  const id = useId();
  const { label, hint, invalid, autofocus, type, autocomplete, required, maxLength } = props;
  const [fault, forget] = useFieldFault(label);
  const about = [...(hint === undefined ? [] : [`${id}-hint`]), ...(fault === "" ? [] : [`${id}-fault`])];
  const rest = { autocomplete, required, maxLength };
  // Preact has a type of its own for each type of input; what is used here all of them have.
  const kind = { type: type ?? "text" } as InputHTMLAttributes<HTMLInputElement>;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...kind}
        {...rest}
        id={id}
        value={"text" in props ? props.text.value : props.value}
        aria-describedby={about.length === 0 ? undefined : about.join(" ")}
        aria-invalid={fault === "" ? invalid : true}
        data-first={autofocus}
        ref={autofocus === true ? focusOnce : null}
        onInput={(event) => {
          const { value } = event.currentTarget;
          forget();
          if ("text" in props) props.text.value = value;
          else props.onValue(value);
        }}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FieldFault id={id} text={fault} />
    </div>
  );
}

/** What is wrong with a field, below it. */
function FieldFault({ id, text }: { readonly id: string; readonly text: string }) {
  if (text === "") return null;
  return (
    <p class="field-fault" id={`${id}-fault`}>
      {text}
    </p>
  );
}

/** A field for a password, which may be shown: who types blindly on a phone is locked out soon. */
export function PasswordField(props: Omit<FieldLook, "type"> & FieldText) {
  const isShown = useSignal(false);
  return (
    <div class="password-field">
      <Field {...props} type={isShown.value ? "text" : "password"} />
      <IconButton
        icon="eye"
        label={`${commonWords().show}: ${props.label}`}
        pressed={isShown.value}
        onClick={() => (isShown.value = !isShown.value)}
      />
    </div>
  );
}

function focusOnce(input: HTMLInputElement | null): void {
  input?.focus();
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [Value, string])[];
  readonly onValue: (value: Value) => void;
}

/** A choice of one of several words. */
export function Choice<Value extends string>({ label, value, options, onValue }: ChoiceProps<Value>) {
  const id = useId();
  const [fault, forget] = useFieldFault(label);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={fault === "" ? undefined : `${id}-fault`}
        aria-invalid={fault !== "" || undefined}
        onChange={(event) => {
          forget();
          const chosen = options.find(([name]) => name === event.currentTarget.value);
          if (chosen !== undefined) onValue(chosen[0]);
        }}
      >
        {options.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      <FieldFault id={id} text={fault} />
    </div>
  );
}
