import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button } from "../../control/button.js";
import { useWork } from "../../control/work.js";
import { isBucket } from "../../state/session.js";
import { fileWords } from "../../words/files.js";
import { playbackWords } from "../../words/playback.js";
import { lengthOf } from "../timeline/span.js";
import { editsOf, FILE_MS_MAX, type FileChoice, type FileEditsProps, NO_EDITS } from "./edits.js";
import { lackOfFiles } from "./saved-files.js";
import type { SpanProps } from "./span-props.js";
import { Tick } from "./tick.js";

interface MakeFilesProps extends SpanProps {
  readonly editsForm: (props: FileEditsProps) => ComponentChildren;
  /** Files that are on their way. */
  readonly rows: ComponentChildren;
  readonly make: (span: SpanProps, choice: FileChoice) => Promise<void>;
}

/** The form of files, and those that are on their way to this device. */
export function MakeFiles(props: MakeFilesProps) {
  return (
    <>
      <FileForm {...props} />
      {props.rows}
    </>
  );
}

/** Which form files are to have, and the button that makes them. */
function FileForm({ channels, span, editsForm, make }: Omit<MakeFilesProps, "rows">) {
  const words = playbackWords();
  const forms = fileWords();
  const choice = useSignal<FileChoice>(FIRST_CHOICE);
  const [isBusy, act] = useWork();
  const { sound, isEverywhere, soundForPhones, edits } = choice.value;
  const { isTogether, speed } = editsOf({ edits, channels, span });
  const isSilent = isEverywhere && (isTogether || speed > 1);
  const change = (part: Partial<FileChoice>): void => {
    choice.value = { ...choice.peek(), ...part };
  };
  // A server that shows recordings from a bucket makes no files of them.
  const canConvert = !isBucket();
  return (
    <div class="make-files">
      {canConvert && <Forms isEverywhere={isEverywhere} onChange={change} />}
      {isEverywhere &&
        editsForm({ channels, span, edits, onChange: (part) => change({ edits: { ...edits, ...part } }) })}
      {!isSilent && (
        <Tick name={words.withSoundOption} isOn={sound} onChange={(on) => change({ sound: on })} />
      )}
      {canConvert && !isEverywhere && sound && lackOfFiles() !== "Codec" && (
        <Tick
          name={forms.soundForPhones}
          isOn={soundForPhones}
          onChange={(on) => change({ soundForPhones: on })}
        />
      )}
      <Button
        kind="main"
        disabled={isBusy || channels.length === 0 || lengthOf(span) > FILE_MS_MAX}
        onClick={() => void act(() => make({ channels, span }, choice.peek()))}
      >
        {words.makeFile}
      </Button>
    </div>
  );
}

const FIRST_CHOICE: FileChoice = {
  sound: true,
  isEverywhere: false,
  soundForPhones: true,
  edits: NO_EDITS,
};

interface FormsProps {
  readonly isEverywhere: boolean;
  readonly onChange: (part: Pick<FileChoice, "isEverywhere">) => void;
}

/** What a file is for. */
function Forms({ isEverywhere, onChange }: FormsProps) {
  const words = fileWords();
  return (
    <>
      <fieldset class="checks">
        <legend>{words.form}</legend>
        <Form
          name={words.recorded}
          isChosen={!isEverywhere}
          onChoose={() => onChange({ isEverywhere: false })}
        />
        <Form
          name={words.everywhere}
          isChosen={isEverywhere}
          onChoose={() => onChange({ isEverywhere: true })}
        />
      </fieldset>
      <p class="hint">{isEverywhere ? words.everywhereHint : words.recordedHint}</p>
    </>
  );
}

interface FormProps {
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Form({ name, isChosen, onChoose }: FormProps) {
  return (
    <label>
      <input type="radio" name="file-form" checked={isChosen} onChange={onChoose} />
      <span>{name}</span>
    </label>
  );
}
