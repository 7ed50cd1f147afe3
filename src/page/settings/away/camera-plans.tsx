import { Button } from "../../control/button.js";
import { CheckList } from "../../control/check.js";
import { channels } from "../../state/channels.js";
import { awayWords } from "../../words/settings/away.js";
import { PlanFields } from "./plan-fields.js";
import { type CameraPlans, type Plan, withPlan } from "./plans.js";

interface CameraPlanListProps {
  readonly plans: readonly CameraPlans[];
  /** What a new one begins with. */
  readonly pattern: Plan;
  readonly onPlans: (plans: readonly CameraPlans[]) => void;
}

/** Plans of cameras that differ from the target's; each is for all cameras that are ticked. */
export function CameraPlanList({ plans, pattern, onPlans }: CameraPlanListProps) {
  const words = awayWords();
  const { Content, Stream, From, SecondsBefore, SecondsAfter } = pattern;
  const add = (): void => {
    const plan = { Content, Stream, From, SecondsBefore, SecondsAfter };
    onPlans([...plans, { plan, cameras: new Set() }]);
  };
  const options = (channels.value ?? []).map(({ Id, Name }) => [Id, Name] as const);
  return (
    <>
      {plans.map(({ plan, cameras }, at) => (
        <fieldset key={at}>
          <legend>{words.planOf(at + 1)}</legend>
          <CheckList
            label={words.planCameras}
            options={options}
            chosen={cameras}
            onChosen={(chosen) => onPlans(withPlan(plans, at, { plan, cameras: chosen }))}
          />
          <PlanFields
            plan={plan}
            onPlan={(part) => onPlans(withPlan(plans, at, { plan: { ...plan, ...part }, cameras }))}
          />
          <Button onClick={() => onPlans(plans.toSpliced(at, 1))}>{words.removePlan}</Button>
        </fieldset>
      ))}
      <Button onClick={add}>{words.addPlan}</Button>
    </>
  );
}
