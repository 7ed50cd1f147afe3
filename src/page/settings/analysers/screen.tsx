import { useSignal } from "@preact/signals";
import { Button } from "../../control/button.js";
import { errorWords } from "../../control/notice.js";
import { useWork } from "../../control/work.js";
import { alarmsWords } from "../../words/alarms.js";
import { analysersWords } from "../../words/settings/analysers.js";
import { type CardProps, ItemCard, ItemsSection } from "../items-section.js";
import { AnalyserForm } from "./analyser-form.js";
import { type Analysers, readAnalysers, type Trial, tryAnalyser } from "./model.js";

/** Who looks at the pictures, and what comes of it. */
export function AnalysersSection() {
  const words = analysersWords();
  return (
    <ItemsSection
      words={[words.title, words.why, words.add, words.none]}
      read={readAnalysers}
      isFollowed
      card={AnalyserCard}
      form={AnalyserForm}
    />
  );
}

function AnalyserCard({ item: analyser, known, onEdit }: CardProps<Analysers>) {
  const state = known.states.get(analyser.Id);
  const [words, alarms] = [analysersWords(), alarmsWords()];
  const { Id, Name, Kind, IsEnabled, Vision } = analyser;
  /** Undefined: none runs; a text: why it failed. */
  const trial = useSignal<Trial | string | undefined>(undefined);
  const [isTrying, act] = useWork((error) => (trial.value = errorWords(error)));
  async function test(): Promise<void> {
    trial.value = await tryAnalyser(Id);
  }
  return (
    <ItemCard name={Name} onEdit={onEdit}>
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
          <Button disabled={isTrying} label={`${words.test}: ${Name}`} onClick={() => void act(test)}>
            {isTrying ? alarms.testing : words.test}
          </Button>
        </div>
      )}
      {trial.value !== undefined && <TrialResult trial={trial.value} />}
    </ItemCard>
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
