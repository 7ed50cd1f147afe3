import type { ReadCamera } from "../../../contract/answer/index.js";
import { cameraConnection as connection } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { Field, PasswordField } from "../../control/field.js";
import { at } from "../../state/place.js";
import { findingWords } from "../../words/finding.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { connectionOf, type Draft } from "./draft.js";
import type { Camera } from "./model.js";
import type { Trial } from "./trial.js";

interface ConnectionFieldsProps {
  readonly camera: Camera;
  readonly draft: Draft;
  readonly onDraft: (change: Partial<Draft>) => void;
  readonly trial: Trial;
}

/** Where the camera is, and how the recorder logs in; tried before it is saved. */
export function ConnectionFields({ camera, draft, onDraft, trial }: ConnectionFieldsProps) {
  const words = camerasWords();
  const { isRunning } = trial.state.value;
  return (
    <fieldset class="camera-fields">
      <legend>{words.connection}</legend>
      <Field
        label={words.address}
        hint={words.addressHint}
        value={draft.address}
        onValue={(address) => onDraft({ address })}
        autocomplete="off"
        maxLength={connection.Hostname.max}
        required
      />
      <Field
        label={words.login}
        value={draft.login}
        onValue={(login) => onDraft({ login })}
        autocomplete="off"
        maxLength={connection.Login.max}
      />
      <PasswordField
        label={words.password}
        hint={words.passwordHint}
        value={draft.password}
        onValue={(password) => onDraft({ password })}
        autocomplete="new-password"
        maxLength={connection.Password.max}
      />
      <div class="edit-buttons">
        <Button disabled={isRunning} onClick={() => void trial.run(camera.Id, connectionOf(camera, draft))}>
          {words.tryIt}
        </Button>
      </div>
      <TrialOutcome trial={trial} name={camera.Name} />
    </fieldset>
  );
}

/** What was found, in an installer's words. */
export function TrialOutcome({ trial, name }: { readonly trial: Trial; readonly name: string }) {
  const [words, finding] = [camerasWords(), findingWords()];
  const { isRunning, tried, found, fault } = trial.state.value;
  if (isRunning) return <p role="status">{words.trying}</p>;
  if (tried === "") return null;
  if (found?.Result !== "Readable")
    return (
      <p class="trial-fault" role="alert">
        {found === undefined ? fault : finding.results[found.Result]}
      </p>
    );
  return (
    <div class="trial" role="status">
      {found.Picture !== null && (
        <img class="camera-picture" src={at(found.Picture)} alt={words.picture(name)} />
      )}
      <div>
        <p class="camera-state good">{words.trialGood}</p>
        <p class="hint">{foundWords(found)}</p>
      </div>
    </div>
  );
}

function foundWords({ Manufacturer, Model, Streams }: ReadCamera): string {
  const words = camerasWords();
  const streams = Streams.map(({ Format, Width, Height, FramesPerSecond }) =>
    [
      Format,
      `${Width} × ${Height}`,
      ...(FramesPerSecond === null ? [] : [words.pictures(FramesPerSecond)]),
    ].join(", "),
  );
  return [`${Manufacturer} ${Model}`.trim(), ...streams].filter((text) => text !== "").join(" · ");
}
