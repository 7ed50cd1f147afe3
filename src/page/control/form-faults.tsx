import { type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext, useEffect } from "preact/hooks";

/** What the recorder refuses of a form, by the labels of its fields. */
export class FormFaults {
  readonly texts: Signal<ReadonlyMap<string, string>> = signal(new Map());
  /** Labels of the fields that are shown, with how often. */
  readonly #labels = new Map<string, number>();

  /** Shows what is wrong at each field that there is. */
  show(faults: ReadonlyMap<string, string>): void {
    this.texts.value = new Map([...faults].filter(([label]) => this.#labels.has(label)));
  }

  forget(label: string): void {
    if (!this.texts.value.has(label)) return;
    this.texts.value = new Map([...this.texts.value].filter(([name]) => name !== label));
  }

  enter(label: string): () => void {
    this.#labels.set(label, (this.#labels.get(label) ?? 0) + 1);
    return () => {
      const left = (this.#labels.get(label) ?? 1) - 1;
      if (left === 0) this.#labels.delete(label);
      else this.#labels.set(label, left);
    };
  }
}

export const FormFaultsContext = createContext<FormFaults | undefined>(undefined);

/** What is wrong with the field of this label, empty while nothing is; and what is called when it is changed. */
export function useFieldFault(label: string): readonly [fault: string, forget: () => void] {
  const faults = useContext(FormFaultsContext);
  useEffect(() => faults?.enter(label), [faults, label]);
  return [faults?.texts.value.get(label) ?? "", () => faults?.forget(label)];
}
