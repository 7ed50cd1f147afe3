import { useSignal } from "@preact/signals";
import type { HubState } from "../../../contract/answer/index.js";
import { HUB_CEILINGS, type HubCeiling } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { Check } from "../../control/check.js";
import { Choice, Field } from "../../control/field.js";
import { say, sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { fleetWords } from "../../words/settings/fleet.js";
import { hubStorageWords } from "../../words/settings/hub-storage.js";
import { momentText } from "./moment.js";
import { StorageForm } from "./storage-form.js";

const HUB = "/api/hub";
const STORAGE = "/api/hub/storage";
/** A recorder that has just joined is connected by then. */
const LOOK_AGAIN_MS = 3000;

/** The hub that this recorder belongs to: joining, how far it goes, leaving. */
export function HubCard() {
  const words = fleetWords();
  const storageWords = hubStorageWords();
  const state = useSignal<HubState | null | undefined>(undefined);
  const looks = useSignal(0);
  useRead(
    async () => {
      state.value = await requestJson<HubState | null>(HUB);
    },
    sayError,
    [looks.value],
  );
  const ask = async (
    method: "POST" | "PUT" | "DELETE",
    body: object | undefined,
    done: string,
    path = HUB,
  ): Promise<void> => {
    try {
      state.value = await requestJson<HubState | null>(path, {
        method,
        ...(body === undefined ? {} : { body }),
      });
      say(done);
      setTimeout(() => (looks.value += 1), LOOK_AGAIN_MS);
    } catch (error) {
      sayError(error);
    }
  };
  const known = state.value;
  return (
    <article class="card">
      <h3>{words.own}</h3>
      {known === null && <JoinForm onJoin={(body) => ask("POST", body, words.joined)} />}
      {known !== null && known !== undefined && (
        <>
          <Connection state={known} />
          <CeilingChoice
            value={known.Ceiling}
            onValue={(Ceiling) => void ask("PUT", { Ceiling }, words.changed)}
          />
          <Check
            label={words.mayUpdate}
            hint={words.mayUpdateHint}
            checked={known.MayUpdate}
            onChecked={(MayUpdate) => void ask("PUT", { MayUpdate }, words.changed)}
          />
          <StorageForm
            storage={known.Storage}
            onHand={(body) => ask("PUT", body, storageWords.handed, STORAGE)}
            onTakeBack={() => ask("DELETE", undefined, words.changed, STORAGE)}
          />
          <RemoveButton
            words={words.leave}
            sure={words.leaveSure}
            onRemove={() => ask("DELETE", undefined, words.none)}
          />
        </>
      )}
    </article>
  );
}

function JoinForm({ onJoin }: { readonly onJoin: (body: object) => Promise<void> }) {
  const words = fleetWords();
  const code = useSignal("");
  const ceiling = useSignal<HubCeiling>("Look");
  const isBusy = useSignal(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    await onJoin({ Code: code.value.trim(), Ceiling: ceiling.value });
    isBusy.value = false;
  };
  return (
    <form data-guarded="" onSubmit={(event) => void submit(event)}>
      <p>{words.none}</p>
      <Field
        label={words.code}
        hint={words.codeHint}
        value={code.value}
        onValue={(value) => (code.value = value)}
        autocomplete="off"
        required
      />
      <CeilingChoice value={ceiling.value} onValue={(value) => (ceiling.value = value)} />
      <Button kind="main" type="submit" disabled={isBusy.value}>
        {words.join}
      </Button>
    </form>
  );
}

function CeilingChoice(props: { readonly value: HubCeiling; readonly onValue: (value: HubCeiling) => void }) {
  const words = fleetWords();
  const options = HUB_CEILINGS.map((name) => [name, words.ceilings[name]] as const);
  return <Choice label={words.ceiling} options={options} {...props} />;
}

function Connection({ state: { Hub, IsConnected, SinceTime, Problem } }: { readonly state: HubState }) {
  const words = fleetWords();
  if (IsConnected) return <p>{words.connected(Hub, momentText(SinceTime))}</p>;
  if (Problem === null) return <p>{words.connecting(Hub)}</p>;
  return <p class="fault">{words.notConnected(Hub, momentText(SinceTime), words.problems[Problem])}</p>;
}
