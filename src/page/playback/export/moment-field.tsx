import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Field } from "../../control/field.js";
import { boxZone } from "../../state/time-format.js";
import { playbackWords } from "../../words/playback.js";
import { timeWords } from "../time/format.js";
import { parseMoment } from "../time/parse-moment.js";
import { recorderNow } from "../watch/model.js";

interface MomentFieldProps {
  readonly label: string;
  readonly value: number;
  readonly onValue: (moment: number) => void;
}

/** A moment as a person types it: taken over when it is one, and the field is left. */
export function MomentField({ label, value, onValue }: MomentFieldProps) {
  const written = writtenMoment(value);
  const text = useSignal(written);
  const fault = useSignal("");
  useEffect(() => {
    text.value = written;
    fault.value = "";
  }, [written]);
  const take = (): void => {
    if (text.peek() === written) return;
    const now = recorderNow();
    const parsed = parseMoment(text.peek(), { zone: boxZone.peek(), now, shown: value });
    if (parsed === undefined) fault.value = playbackWords().notUnderstood;
    else if (parsed.moment > now) fault.value = playbackWords().inFuture;
    else {
      fault.value = "";
      onValue(parsed.moment);
    }
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
        value={text.value}
        onValue={(typed) => (text.value = typed)}
        invalid={fault.value !== ""}
        maxLength={100}
        {...(fault.value === "" ? {} : { hint: fault.value })}
      />
    </form>
  );
}

/** As the field understands it again. */
function writtenMoment(moment: number): string {
  const { year, month, day } = boxZone.value.readingAt(moment);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${year}-${two(month)}-${two(day)} ${timeWords(moment, "second")}`;
}
