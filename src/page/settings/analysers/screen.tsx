import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../control/button.js";
import { errorWords, sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { alarmsWords } from "../../words/alarms.js";
import { analysersWords } from "../../words/analysers.js";
import { commonWords } from "../../words/common.js";
import { AnalyserForm } from "./analyser-form.js";
import {
  type Analyser,
  type AnalyserState,
  type Analysers,
  readAnalysers,
  type Trial,
  tryAnalyser,
} from "./model.js";

const LOOK_MS = 5000;

/** Who looks at the pictures, and what comes of it. */
export function AnalysersSection() {
  const words = analysersWords();
  const known = useSignal<Analysers | undefined>(undefined);
  /** Undefined inside: a new one. */
  const edited = useSignal<{ readonly analyser: Analyser | undefined } | undefined>(undefined);
  const read = async (): Promise<void> => {
    known.value = await readAnalysers();
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
  return (
    <section class="settings-part">
      <h2>{words.title}</h2>
      <p>{words.why}</p>
      <div class="edit-buttons">
        <Button kind="main" onClick={() => (edited.value = { analyser: undefined })}>
          {words.add}
        </Button>
      </div>
      {known.value === undefined && <p class="quiet">{commonWords().loading}</p>}
      {known.value?.list.length === 0 && <p class="hint">{words.none}</p>}
      {known.value?.list.map((analyser) => (
        <AnalyserCard
          key={analyser.Id}
          analyser={analyser}
          state={known.value?.states.get(analyser.Id)}
          onEdit={() => (edited.value = { analyser })}
        />
      ))}
      {edited.value !== undefined && <AnalyserForm analyser={edited.value.analyser} onClose={close} />}
    </section>
  );
}

interface AnalyserCardProps {
  readonly analyser: Analyser;
  readonly state: AnalyserState | undefined;
  readonly onEdit: () => void;
}

function AnalyserCard({ analyser, state, onEdit }: AnalyserCardProps) {
  const [words, alarms] = [analysersWords(), alarmsWords()];
  const { Id, Name, Kind, IsEnabled, Vision } = analyser;
  /** Undefined: none runs; a text: why it failed. */
  const trial = useSignal<Trial | string | undefined>(undefined);
  const isTrying = useSignal(false);
  async function test(): Promise<void> {
    isTrying.value = true;
    try {
      trial.value = await tryAnalyser(Id);
    } catch (error) {
      trial.value = errorWords(error);
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
      <p>{Vision === null ? words.kinds[Kind] : `${words.kinds[Kind]}: ${Vision.Url}`}</p>
      {IsEnabled ? (
        state !== undefined && <p>{words.figures(state.Asked, state.Told)}</p>
      ) : (
        <p>{words.off}</p>
      )}
      {state?.IsFailing === true && (
        <p class="advice" role="status">
          {words.failing(state.Problem ?? "")}
        </p>
      )}
      {Vision !== null && (
        <div class="edit-buttons">
          <Button disabled={isTrying.value} label={`${words.test}: ${Name}`} onClick={() => void test()}>
            {isTrying.value ? alarms.testing : words.test}
          </Button>
        </div>
      )}
      {trial.value !== undefined && <TrialResult trial={trial.value} />}
    </article>
  );
}

function TrialResult({ trial }: { readonly trial: Trial | string }) {
  const words = analysersWords();
  if (typeof trial === "string") return <p class="advice">{trial}</p>;
  const seen = trial.Results.flatMap(({ Predictions }) => Predictions);
  const problems = trial.Results.flatMap(({ Problem }) => Problem ?? []);
  return (
    <div role="status">
      <img class="analysed" src={`data:image/jpeg;base64,${trial.Picture.Jpeg}`} alt={words.sent} />
      {problems.map((problem) => (
        <p class="advice" key={problem}>
          {problem}
        </p>
      ))}
      {problems.length === 0 && (
        <p>
          {seen.length === 0
            ? words.sawNothing
            : seen
                .map((one) => `${one.Number ?? one.Name ?? one.Label} ${Math.round(one.Confidence)} %`)
                .join(", ")}
        </p>
      )}
    </div>
  );
}
