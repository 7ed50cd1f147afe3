import { useSignal } from "@preact/signals";
import type { BrokerState } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { programsWords } from "../../words/settings/programs.js";
import { BrokerForm } from "./broker-form.js";
import { BROKER } from "./model.js";

/** How long the recorder may take to be at a broker that was just set, until it is looked at again. */
const LOOK_AGAIN_MS = 2000;

/** The MQTT broker: which one, whether the recorder is connected, and how it is set. */
export function BrokerCard({ users }: { readonly users: readonly string[] }) {
  const words = programsWords();
  const state = useSignal<BrokerState | undefined>(undefined);
  const isEdited = useSignal(false);
  const looks = useSignal(0);
  useRead(
    async () => {
      state.value = await requestJson<BrokerState>(BROKER);
    },
    sayError,
    [looks.value],
  );
  const known = state.value;
  const lookAgain = (): void => {
    setTimeout(() => (looks.value += 1), LOOK_AGAIN_MS);
  };
  const close = (next?: BrokerState): void => {
    isEdited.value = false;
    state.value = next ?? state.value;
    if (next !== undefined) lookAgain();
  };
  const remove = async (): Promise<void> => {
    try {
      close(await requestJson<BrokerState>(BROKER, { method: "DELETE" }));
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <article class="card">
      <h3>{words.broker}</h3>
      <p>{words.brokerWhy}</p>
      {known !== undefined && (
        <>
          <Connection state={known} />
          <p class="hint">{words.setWhere(known.Settings !== null, known.SettingsFileUrl)}</p>
          <div class="edit-buttons">
            <Button onClick={() => (isEdited.value = true)}>{words.setUp}</Button>
            {known.Settings !== null && (
              <RemoveButton words={words.remove} sure={words.removeSure} onRemove={remove} />
            )}
          </div>
        </>
      )}
      {isEdited.value && <BrokerForm settings={known?.Settings ?? undefined} users={users} onClose={close} />}
    </article>
  );
}

function Connection({ state: { Url, IsConnected, Problem, Settings } }: { readonly state: BrokerState }) {
  const words = programsWords();
  if (Url === null) return <p>{Settings?.IsEnabled === false ? words.off : words.none}</p>;
  if (IsConnected) return <p>{words.connected(Url)}</p>;
  return Problem === null ? (
    <p>{words.connecting(Url)}</p>
  ) : (
    <p class="fault">{words.notConnected(Url, Problem)}</p>
  );
}
