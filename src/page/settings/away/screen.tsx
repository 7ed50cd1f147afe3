import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../control/button.js";
import { Field } from "../../control/field.js";
import { errorWords, sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { alarmsWords } from "../../words/alarms.js";
import { awayWords } from "../../words/away.js";
import { commonWords } from "../../words/common.js";
import { BucketDialog } from "./bucket-dialog.js";
import { forecastOf } from "./forecast.js";
import { readTargets, type Target, type TargetState, type Targets, tryTarget } from "./model.js";
import { TargetForm } from "./target-form.js";

const LOOK_MS = 5000;

/** Where recordings go off the box, and how far they are. */
export function AwaySection() {
  const words = awayWords();
  const known = useSignal<Targets | undefined>(undefined);
  /** Undefined inside: a new one. */
  const edited = useSignal<{ readonly target: Target | undefined } | undefined>(undefined);
  const read = async (): Promise<void> => {
    known.value = await readTargets();
  };
  useRead(read, sayError);
  useEffect(() => {
    // What fails in between is said by the frame, or by the next one who acts.
    const timer = setInterval(() => void read().catch(() => undefined), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const close = (): void => {
    edited.value = undefined;
    read().catch(sayError);
  };
  const { list, states } = known.value ?? {};
  return (
    <section class="settings-part">
      <h2>{words.title}</h2>
      <p>{words.why}</p>
      <div class="edit-buttons">
        <Button kind="main" onClick={() => (edited.value = { target: undefined })}>
          {words.add}
        </Button>
      </div>
      {list === undefined && <p class="quiet">{commonWords().loading}</p>}
      {list?.length === 0 && <p class="hint">{words.none}</p>}
      {list?.map((target) => (
        <TargetCard
          key={target.Id}
          target={target}
          state={states?.find(({ Id }) => Id === target.Id)}
          onEdit={() => (edited.value = { target })}
        />
      ))}
      {known.value !== undefined && known.value.states.length > 0 && <Cost {...known.value} />}
      {edited.value !== undefined && <TargetForm target={edited.value.target} onClose={close} />}
    </section>
  );
}

interface TargetCardProps {
  readonly target: Target;
  /** Undefined: it is switched off. */
  readonly state: TargetState | undefined;
  readonly onEdit: () => void;
}

function TargetCard({ target, state, onEdit }: TargetCardProps) {
  const { Id, Name, Endpoint, Bucket, Prefix } = target;
  const [words, alarms] = [awayWords(), alarmsWords()];
  const told = useSignal("");
  const isTrying = useSignal(false);
  const showsBucket = useSignal(false);
  async function test(): Promise<void> {
    isTrying.value = true;
    try {
      told.value = (await tryTarget(Id)) ?? words.works;
    } catch (error) {
      told.value = errorWords(error);
    } finally {
      isTrying.value = false;
    }
  }
  return (
    <article class="card alarm-card">
      <header>
        <h3>{Name}</h3>
        <Button label={alarms.changeNamed(Name)} onClick={onEdit}>
          {alarms.change}
        </Button>
      </header>
      <p>{`${Endpoint}/${Bucket}/${Prefix}`}</p>
      {state === undefined ? <p>{words.off}</p> : <Progress state={state} />}
      <div class="edit-buttons">
        <Button disabled={isTrying.value} label={`${words.test}: ${Name}`} onClick={() => void test()}>
          {words.test}
        </Button>
        <Button label={`${words.bucket}: ${Name}`} onClick={() => (showsBucket.value = true)}>
          {words.bucket}
        </Button>
      </div>
      <p role="status">{told.value}</p>
      {showsBucket.value && <BucketDialog target={target} onClose={() => (showsBucket.value = false)} />}
    </article>
  );
}

function Progress({ state }: { readonly state: TargetState }) {
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
  const forecast = forecastOf(list, states, Date.now());
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
