import { awayPlan } from "../../../contract/index.js";
import { Choice, Field } from "../../control/field.js";
import { awayWords } from "../../words/settings/away.js";
import type { Plan } from "./plans.js";

interface PlanFieldsProps {
  readonly plan: Plan;
  readonly onPlan: (part: Partial<Plan>) => void;
}

/** What goes of a camera. */
export function PlanFields({ plan, onPlan }: PlanFieldsProps) {
  const words = awayWords();
  const choice = (name: "Content" | "Stream" | "From") => {
    const said: Readonly<Record<string, string>> = words.plan[name];
    return (
      <Choice
        label={words.fields[name]}
        value={plan[name] as string}
        options={awayPlan[name].of.map((one) => [one as string, said[one] ?? one] as const)}
        onValue={(one) => onPlan({ [name]: one })}
      />
    );
  };
  const seconds = (name: "SecondsBefore" | "SecondsAfter") => (
    <Field
      label={words.fields[name]}
      value={`${plan[name] ?? ""}`}
      onValue={(typed) => onPlan({ [name]: typed })}
    />
  );
  return (
    <>
      {choice("Content")}
      {plan.Content === "Events" && seconds("SecondsBefore")}
      {plan.Content === "Events" && seconds("SecondsAfter")}
      {choice("Stream")}
      {choice("From")}
    </>
  );
}
