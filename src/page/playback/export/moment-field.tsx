import { useSignal } from "@preact/signals";
import { Field } from "../../control/field.js";
import { recorderNow } from "../../state/recorder-time.js";
import { boxZone } from "../../state/time-format.js";
import { playbackWords } from "../../words/playback.js";
import { typedMoment } from "../time/typed-moment.js";
import { writtenMoment } from "../time/written-moment.js";

interface MomentFieldProps {
  readonly label: string;
  readonly value: number;
  readonly onValue: (moment: number) => void;
}

/** What was typed over a moment, and what is wrong with it. */
interface Typed {
  readonly over: string;
  readonly text: string;
  readonly fault: string;
}

/** A moment as a person types it: taken over when it is one, and the field is left. */
export function MomentField({ label, value, onValue }: MomentFieldProps) {
  const written = writtenMoment(boxZone.value, value);
  const typed = useSignal<Typed>({ over: written, text: written, fault: "" });
  // Where the moment has changed meanwhile, what was typed over the one before is gone.
  const { text, fault } = typed.value.over === written ? typed.value : { text: written, fault: "" };
  const take = (): void => {
    const now = typed.peek();
    if (now.over !== written || now.text === written) return;
    const found = momentIn(now.text, value);
    if (typeof found === "number") onValue(found);
    typed.value = { ...now, fault: typeof found === "number" ? "" : found };
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        take();
      }}
      onFocusOut={take}
    >
      <Field
        label={label}
        value={text}
        onValue={(next) => (typed.value = { over: written, text: next, fault })}
        invalid={fault !== ""}
        maxLength={100}
        {...(fault === "" ? {} : { hint: fault })}
      />
    </form>
  );
}

/** The moment that a text means, of two that one time has the nearer to `shown`; a sentence where it means none. */
function momentIn(text: string, shown: number): number | string {
  const parsed = typedMoment(text, shown);
  if (parsed === undefined) return playbackWords().notUnderstood;
  const { moment: first, second = first } = parsed;
  const moment = Math.abs(second - shown) < Math.abs(first - shown) ? second : first;
  return moment > recorderNow() ? playbackWords().inFuture : moment;
}
