import { useSignal } from "@preact/signals";
import type { AwayState } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { Field } from "../../control/field.js";
import { errorWords } from "../../control/notice.js";
import { useWork } from "../../control/work.js";
import { recorderNow } from "../../state/recorder-time.js";
import { awayWords } from "../../words/settings/away.js";
import { type CardProps, ItemCard, ItemsSection } from "../items-section.js";
import { BucketDialog } from "./bucket-dialog.js";
import { forecastOf } from "./forecast.js";
import { readTargets, type Targets, tryTarget } from "./model.js";
import { TargetForm } from "./target-form.js";

/** Where recordings go off the box, and how far they are. */
export function AwaySection() {
  const words = awayWords();
  return (
    <ItemsSection
      words={[words.title, words.why, words.add, words.none]}
      read={readTargets}
      isFollowed
      card={TargetCard}
      form={TargetForm}
      foot={(known) => known.states.length > 0 && <Cost {...known} />}
    />
  );
}

function TargetCard({ item: target, known, onEdit }: CardProps<Targets>) {
  /** Undefined: it is switched off. */
  const state = known.states.find(({ Id }) => Id === target.Id);
  const { Id, Name, Endpoint, Bucket, Prefix } = target;
  const words = awayWords();
  const status = useSignal("");
  const [isTrying, act] = useWork((error) => (status.value = errorWords(error)));
  const showsBucket = useSignal(false);
  async function test(): Promise<void> {
    status.value = (await tryTarget(Id)) ?? words.works;
  }
  return (
    <ItemCard name={Name} onEdit={onEdit}>
      <p>{`${Endpoint}/${Bucket}/${Prefix}`}</p>
      {state === undefined ? <p>{words.off}</p> : <Progress state={state} />}
      <div class="edit-buttons">
        <Button disabled={isTrying} label={`${words.test}: ${Name}`} onClick={() => void act(test)}>
          {words.test}
        </Button>
        <Button label={`${words.bucket}: ${Name}`} onClick={() => (showsBucket.value = true)}>
          {words.bucket}
        </Button>
      </div>
      <p role="status">{status.value}</p>
      {showsBucket.value && <BucketDialog target={target} onClose={() => (showsBucket.value = false)} />}
    </ItemCard>
  );
}

function Progress({ state }: { readonly state: AwayState }) {
  const words = awayWords();
  const problem = state.Problem ?? state.ReadProblem;
  return (
    <>
      <p>{words.activities[state.Activity]}</p>
      <p>{words.sent(state.SentSegments, state.SentBytes / 1e9, state.MonthBytes / 1e9)}</p>
      {state.WaitingSegments > 0 && (
        <p>{words.waiting(state.WaitingSegments, state.WaitingBytes / 1e9, state.OldestWaitingDay ?? "")}</p>
      )}
      {problem !== null && <p class="advice">{problem}</p>}
    </>
  );
}

/** What the storage costs a month, now and as it goes on, by a price that is typed and not kept. */
function Cost({ list, states }: Targets) {
  const words = awayWords();
  const typed = useSignal("");
  const price = Number(typed.value.replace(",", "."));
  const costOf = (bytes: number): number => (bytes / 1e9) * price;
  const sum = (name: "SentBytes" | "WaitingBytes"): number =>
    costOf(states.reduce((total, state) => total + state[name], 0));
  const forecast = forecastOf(list, states, recorderNow());
  return (
    <div class="card">
      <Field
        label={words.price}
        hint={words.priceHint}
        value={typed.value}
        autocomplete="off"
        onValue={(text) => (typed.value = text)}
      />
      <div role="status">
        {price > 0 && Number.isFinite(price) && (
          <>
            <p>{words.cost(sum("SentBytes"), sum("SentBytes") + sum("WaitingBytes"))}</p>
            {forecast !== undefined && (
              <p>
                {words.rate(forecast.days, forecast.bytesPerDay / 1e9)}{" "}
                {words.forecast(costOf(forecast.after(30)), costOf(forecast.after(365)))}
              </p>
            )}
          </>
        )}
      </div>
    </div>
  );
}
