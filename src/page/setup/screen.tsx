import "../settings/style.js";
import "./setup.css";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Setup } from "../../contract/answer/index.js";
import { Button } from "../control/button.js";
import { errorWords, sayError } from "../control/notice.js";
import { open, route } from "../state/route.js";
import { isBucket, session } from "../state/session.js";
import { finishSetup, readSetup } from "../state/setup.js";
import { commonWords } from "../words/common.js";
import { setupWords } from "../words/setup.js";
import { CamerasStep } from "./cameras-step.js";
import { DisksStep } from "./disks-step.js";
import { DoneStep } from "./done-step.js";
import { RecorderStep } from "./recorder-step.js";

const STEPS = ["recorder", "disks", "cameras", "done"] as const;
export type Step = (typeof STEPS)[number];

/** A server that shows recordings from a bucket has neither disks nor cameras to set. */
const steps = (): readonly Step[] => (isBucket() ? ["recorder"] : STEPS);

/** The first run, step by step; the step is in the address, so that "back" goes back. */
export function SetupScreen() {
  const words = setupWords();
  const state = useSignal<Setup | undefined>(undefined);
  const fault = useSignal("");
  const read = (): void => {
    fault.value = "";
    readSetup().then(
      (found) => (state.value = found),
      (error: unknown) => (fault.value = errorWords(error)),
    );
  };
  const must = session.value?.MustChangePassword === true;
  useEffect(read, [must]);
  const step = must ? "recorder" : stepOf(route.value.parameters.get("step"));
  const title = useFocusOnChange(step);
  return (
    <div class="setup">
      <header class="setup-head">
        <h1>{words.title}</h1>
        <ol class="setup-steps" aria-label={words.steps}>
          {steps().map((name) => (
            <li key={name} aria-current={name === step ? "step" : undefined}>
              {words.step[name]}
            </li>
          ))}
        </ol>
      </header>
      <main class="setup-body" tabIndex={-1} ref={title}>
        {fault.value !== "" && (
          <div role="alert">
            <p>{fault.value}</p>
            <Button onClick={read}>{commonWords().retry}</Button>
          </div>
        )}
        {state.value === undefined && fault.value === "" && <p>{commonWords().loading}</p>}
        {state.value !== undefined && <StepView step={step} state={state.value} />}
      </main>
    </div>
  );
}

function StepView({ step, state }: { readonly step: Step; readonly state: Setup }) {
  switch (step) {
    case "recorder":
      return <RecorderStep state={state} onDone={afterRecorder} />;
    case "disks":
      return <DisksStep onNext={() => goTo("cameras")} />;
    case "cameras":
      return <CamerasStep onBack={() => goTo("disks")} onNext={() => goTo("done")} />;
    case "done":
      return <DoneStep onBack={() => goTo("cameras")} />;
  }
}

async function afterRecorder(): Promise<void> {
  if (isBucket()) await finishSetup().catch(sayError);
  else goTo("disks");
}

function goTo(step: Step): void {
  open("setup", { step });
}

/** Root has a password of its own: the first step is over, whatever the address says. */
function stepOf(text: string | null): Step {
  return steps().find((name) => name === text) ?? (isBucket() ? "recorder" : "disks");
}

/** A new step is read from its beginning, by eyes and by screen readers. */
function useFocusOnChange(step: Step) {
  const element = useRef<HTMLElement>(null);
  const last = useRef(step);
  useEffect(() => {
    if (last.current === step) return;
    last.current = step;
    element.current?.focus();
    element.current?.scrollTo(0, 0);
  }, [step]);
  return element;
}
