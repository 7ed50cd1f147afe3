import { useSignal } from "@preact/signals";
import type { HubBox, HubTemplates, TemplateResult } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { CheckList } from "../../control/check.js";
import { Choice } from "../../control/field.js";
import { sayError } from "../../control/notice.js";
import { requestJson } from "../../state/request.js";
import { templateWords } from "../../words/template.js";
import { momentText } from "../recorder-card.js";
import { settingName, shownValue } from "./shown-setting.js";
import { ANSWER_MS, inRequests, TEMPLATES } from "./template-requests.js";

type Results = TemplateResult["Recorders"];

interface UseProps {
  readonly boxes: readonly HubBox[];
  readonly templates: HubTemplates["Templates"];
  readonly applied: HubTemplates["Applied"];
  readonly onDone: () => void;
}

/** A template at recorders: what it would change, what became of it, and the way back. */
export function TemplateUse({ boxes, templates, applied, onDone }: UseProps) {
  const words = templateWords();
  const template = useSignal(templates[0]?.Id ?? "");
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const results = useSignal<Results | undefined>(undefined);
  const isBusy = useSignal(false);
  const id = templates.some(({ Id }) => Id === template.value) ? template.value : (templates[0]?.Id ?? "");
  const ask = async <T,>(path: string, all: readonly T[]): Promise<void> => {
    isBusy.value = true;
    const found: Results[number][] = [];
    try {
      for (const Recorders of inRequests(all)) {
        const options = { method: "POST", body: { Recorders }, answerMs: ANSWER_MS } as const;
        found.push(...(await requestJson<TemplateResult>(`${TEMPLATES}/${path}`, options)).Recorders);
        results.value = [...found];
      }
    } catch (error) {
      sayError(error);
    }
    isBusy.value = false;
  };
  const ready = (results.value ?? []).filter(({ State }) => State === "Ready");
  const apply = async (): Promise<void> => {
    await ask(
      `${id}/apply`,
      ready.map(({ Id, Revision }) => ({ Id, Revision: Revision ?? "" })),
    );
    onDone();
  };
  const undo = async (recorder: string): Promise<void> => {
    await ask("undo", [recorder]);
    onDone();
  };
  return (
    <section class="template-form">
      <h2>{words.use}</h2>
      <Choice
        label={words.template}
        value={id}
        options={templates.map(({ Id, Name }) => [Id, Name])}
        onValue={(next) => {
          template.value = next;
          results.value = undefined;
        }}
      />
      <CheckList
        label={words.choose}
        options={boxes.map(({ Id, Name }) => [Id, Name])}
        chosen={chosen.value}
        onChosen={(next) => {
          chosen.value = next;
          results.value = undefined;
        }}
      />
      <Button
        disabled={isBusy.value || chosen.value.size === 0}
        onClick={() => void ask(`${id}/preview`, [...chosen.value])}
      >
        {words.look}
      </Button>
      {isBusy.value && <p role="status">{words.looking}</p>}
      {results.value !== undefined && <ResultList results={results.value} />}
      {ready.length > 0 && (
        <Button kind="main" disabled={isBusy.value} onClick={() => void apply()}>
          {words.apply(ready.length)}
        </Button>
      )}
      {applied.length > 0 && (
        <>
          <h2>{words.undoTitle}</h2>
          <ul class="template-list">
            {applied.map(({ Recorder, Name, Template, Time, By }) => (
              <li key={Recorder} class="card">
                <h3>{Name}</h3>
                <p>{words.appliedAt(Template, momentText(Time), By)}</p>
                <Button disabled={isBusy.value} onClick={() => void undo(Recorder)}>
                  {words.undo(Name)}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function ResultList({ results }: { readonly results: Results }) {
  const words = templateWords();
  return (
    <ul class="template-results">
      {results.map(({ Id, Name, State, Problem, Changes }) => (
        <li key={Id} class="card" data-state={State}>
          <h3>{Name}</h3>
          <p class="template-state" role="status">
            {words.states[State]}
          </p>
          {Problem !== null && (
            <p class="hint" lang="en">
              {Problem}
            </p>
          )}
          {Changes.length > 0 && <ChangeTable changes={Changes} />}
        </li>
      ))}
    </ul>
  );
}

function ChangeTable({ changes }: { readonly changes: Results[number]["Changes"] }) {
  const words = templateWords();
  return (
    // Keys scroll it where it is wider than the page.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <div class="template-changes" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.cameraColumn}</th>
            <th scope="col">{words.setting}</th>
            <th scope="col">{words.before}</th>
            <th scope="col">{words.after}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ Camera, CameraName, Setting, Before, After }) => (
            <tr key={`${Camera} ${Setting}`}>
              <td>{CameraName}</td>
              <td>{settingName(Setting)}</td>
              <td>{shownValue(Before)}</td>
              <td>{shownValue(After)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
