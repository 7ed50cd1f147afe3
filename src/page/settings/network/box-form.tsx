import { useSignal } from "@preact/signals";
import type { NetworkState } from "../../../messages/index.js";
import { Button } from "../../control/button.js";
import { Choice, Field } from "../../control/field.js";
import { errorWords, say } from "../../control/notice.js";
import { commonWords } from "../../words/common.js";
import { networkWords } from "../../words/network.js";
import { changeBox } from "./model.js";

const NAME_LENGTH_MAX = 63;

/** The name of the box on the network, and its time zone. */
export function BoxForm({ state }: { readonly state: NetworkState }) {
  const words = networkWords();
  const name = useSignal(state.Name);
  const zone = useSignal(state.TimeZone);
  const told = useSignal("");
  const zones = [...new Set([state.TimeZone, "UTC", ...Intl.supportedValuesOf("timeZone")])];
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    told.value = "";
    try {
      await changeBox(name.value.trim(), zone.value);
      say(words.boxSaved);
    } catch (error) {
      told.value = errorWords(error);
    }
  }
  return (
    <form class="card edit-form" noValidate onSubmit={(event) => void submit(event)}>
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
      <p class="fault" role="alert">
        {told.value}
      </p>
      <div class="edit-buttons">
        <Button type="submit" kind="main">
          {commonWords().save}
        </Button>
      </div>
    </form>
  );
}
