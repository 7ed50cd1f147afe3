import { useSignal } from "@preact/signals";
import { Field } from "../../control/field.js";
import { recorderNow } from "../../state/recorder-time.js";
import { boxZone } from "../../state/time-format.js";
import { playbackWords } from "../../words/playback.js";
import { timeWords } from "../time/format.js";
import { parseMoment } from "../time/parse-moment.js";

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
  const written = writtenMoment(value);
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

/** The moment that a text means; a sentence where it means none. */
function momentIn(text: string, shown: number): number | string {
  const now = recorderNow();
  const parsed = parseMoment(text, { zone: boxZone.peek(), now, shown });
  if (parsed === undefined) return playbackWords().notUnderstood;
  return parsed.moment > now ? playbackWords().inFuture : parsed.moment;
}

/** As the field understands it again. */
function writtenMoment(moment: number): string {
  const { year, month, day } = boxZone.value.readingAt(moment);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${year}-${two(month)}-${two(day)} ${timeWords(moment, "second")}`;
}
