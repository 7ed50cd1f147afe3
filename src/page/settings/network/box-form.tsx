import { useSignal } from "@preact/signals";
import type { Network } from "../../../contract/answer/index.js";
import { Choice, Field } from "../../control/field.js";
import { networkWords } from "../../words/settings/network.js";
import { SaveForm } from "../save-form.js";
import { changeBox } from "./model.js";

const NAME_LENGTH_MAX = 63;

/** The name of the box on the network, and its time zone. */
export function BoxForm({ state }: { readonly state: Network }) {
  const words = networkWords();
  const name = useSignal(state.Name);
  const zone = useSignal(state.TimeZone);
  const zones = [...new Set([state.TimeZone, "UTC", ...Intl.supportedValuesOf("timeZone")])];
  return (
    <SaveForm saved={words.boxSaved} onSave={() => changeBox(name.value.trim(), zone.value)}>
      <h3>{words.box}</h3>
      <Field
        label={words.name}
        hint={words.nameHint(name.value.trim())}
        value={name.value}
        maxLength={NAME_LENGTH_MAX}
        autocomplete="off"
        onValue={(value) => (name.value = value)}
      />
      <Choice
        label={words.timeZone}
        value={zone.value}
        options={zones.map((one) => [one, one.replaceAll("_", " ")] as const)}
        onValue={(value) => (zone.value = value)}
      />
    </SaveForm>
  );
}
