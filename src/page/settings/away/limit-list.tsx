import { Button } from "../../control/button.js";
import { Field } from "../../control/field.js";
import { session } from "../../state/session.js";
import { awayWords } from "../../words/settings/away.js";
import { EMPTY_WEEK } from "../cameras/week/week.js";
import { WeekGrid } from "../cameras/week/week-grid.js";
import { type Limit, withLimit } from "./limits.js";

interface LimitListProps {
  readonly limits: readonly Limit[];
  readonly onLimits: (limits: readonly Limit[]) => void;
}

/** Bandwidths that count in some hours of the week. */
export function LimitList({ limits, onLimits }: LimitListProps) {
  const words = awayWords();
  return (
    <>
      <p class="hint">{words.limitHint(session.value?.TimeZone ?? "UTC")}</p>
      {limits.map((limit, at) => {
        const change = (part: Partial<Limit>): void => onLimits(withLimit(limits, at, { ...limit, ...part }));
        return (
          <fieldset key={at}>
            <legend>{words.limitOf(at + 1)}</legend>
            <Field
              label={words.fields.KilobitsPerSecondMax}
              hint={words.limitRate}
              value={limit.rate}
              onValue={(rate) => change({ rate })}
            />
            <WeekGrid label={words.limitWeek} week={limit.week} onWeek={(week) => change({ week })} />
            <Button onClick={() => onLimits(limits.toSpliced(at, 1))}>{words.removeLimit}</Button>
          </fieldset>
        );
      })}
      <Button onClick={() => onLimits([...limits, { rate: "0", week: EMPTY_WEEK }])}>{words.addLimit}</Button>
    </>
  );
}
