import { cameraArchive, countsOf } from "../../../contract/index.js";
import { Choice, Field } from "../../control/field.js";
import { camerasWords } from "../../words/settings/cameras.js";
import type { Draft } from "./draft.js";
import { type Camera, DETECTORS, MODES, SOUNDS, STREAMS } from "./model.js";

const SECONDS = countsOf(cameraArchive.PreMotionDetectionRecSecs);

interface RecordingFieldsProps {
  readonly camera: Camera;
  readonly draft: Draft;
  readonly onDraft: (change: Partial<Draft>) => void;
}

/** What is recorded, when, and how long it is kept. */
export function RecordingFields({ camera, draft, onDraft }: RecordingFieldsProps) {
  const words = camerasWords();
  const { StreamSettings } = camera.ConnectionSettings;
  const streams = STREAMS.filter(
    (name) => name === "Main" || StreamSettings[`${name}StreamSettings`]?.VideoStreamEnabled === true,
  );
  const seconds = SECONDS.map((count) => [`${count}`, words.seconds(count)] as const);
  return (
    <fieldset class="camera-fields">
      <legend>{words.recording}</legend>
      <Choice
        label={words.mode}
        value={draft.mode}
        options={MODES.map((mode) => [mode, words.modes[mode]])}
        onValue={(mode) => onDraft({ mode })}
      />
      <p class="hint">{words.modeHints[draft.mode]}</p>
      {draft.mode === "motion" && (
        <>
          <Choice
            label={words.detector}
            value={draft.detector}
            options={DETECTORS.map((detector) => [detector, words.detectors[detector]])}
            onValue={(detector) => onDraft({ detector })}
          />
          {draft.detector === "none" && <p class="camera-state danger">{words.noDetector}</p>}
          <div class="camera-pair">
            <Choice
              label={words.before}
              value={draft.before}
              options={seconds}
              onValue={(before) => onDraft({ before })}
            />
            <Choice
              label={words.after}
              value={draft.after}
              options={seconds}
              onValue={(after) => onDraft({ after })}
            />
          </div>
        </>
      )}
      <Choice
        label={words.recordedStream}
        value={draft.stream}
        options={streams.map((name) => [name, words.streams[name]])}
        onValue={(stream) => onDraft({ stream })}
      />
      <Choice
        label={words.sound}
        value={draft.sound}
        options={SOUNDS.map((sound) => [sound, words.sounds[sound]])}
        onValue={(sound) => onDraft({ sound })}
      />
      <div class="camera-pair">
        <Field
          label={words.daysMax}
          hint={words.daysMaxHint}
          value={draft.daysMax}
          onValue={(daysMax) => onDraft({ daysMax: daysMax.trim() })}
          maxLength={5}
        />
        <Field
          label={words.daysMin}
          hint={words.daysMinHint}
          value={draft.daysMin}
          onValue={(daysMin) => onDraft({ daysMin: daysMin.trim() })}
          maxLength={5}
        />
      </div>
    </fieldset>
  );
}
