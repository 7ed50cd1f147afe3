import { signal } from "@preact/signals";
import type { OfferedScenario, ScenarioRunState } from "../../contract/answer/index.js";
import { Button } from "../control/button.js";
import { Dialog } from "../control/dialog.js";
import { Icon } from "../control/icon.js";
import { say, sayError } from "../control/notice.js";
import { rights } from "../state/channels.js";
import { useRead } from "../state/reading.js";
import { requestJson } from "../state/request.js";
import { commonWords } from "../words/common.js";
import { wallWords } from "../words/wall.js";
import { Popover } from "./popover.js";

const isOpen = signal(false);
const scenarios = signal<readonly OfferedScenario[]>([]);
const asked = signal<OfferedScenario | undefined>(undefined);

async function read(): Promise<void> {
  scenarios.value = rights.value.CanRunUserScenarios
    ? await requestJson<readonly OfferedScenario[]>("/api/scenarios")
    : [];
}

async function run({ Id, Name }: OfferedScenario, Confirmed: boolean): Promise<void> {
  const words = wallWords().scenarios;
  const body = { Confirmed };
  const { IsRunning, Actions } = await requestJson<ScenarioRunState>(`/api/scenarios/${Id}/run`, {
    method: "POST",
    body,
  });
  const problem = Actions.find(({ Problem }) => Problem !== null)?.Problem;
  if (problem) say(words.failed(Name, problem), true);
  else say((IsRunning ? words.running : words.done)(Name));
}

/** The scenarios that the user may run; nothing where there are none. */
export function ScenarioMenu() {
  const words = wallWords().scenarios;
  useRead(read, sayError, [rights.value.CanRunUserScenarios, isOpen.value]);
  if (scenarios.value.length === 0) return null;
  const choose = (scenario: OfferedScenario, item: HTMLElement): void => {
    // The item goes with the panel: the focus is at the button before a question takes it.
    item.closest(".wall-popover")?.querySelector("button")?.focus();
    isOpen.value = false;
    if (scenario.NeedConfirmation) asked.value = scenario;
    else run(scenario, false).catch(sayError);
  };
  return (
    <>
      <Popover icon="play" label={words.title} isOpen={isOpen}>
        {scenarios.value.map((scenario) => (
          <button
            key={scenario.Id}
            type="button"
            class="menu-item"
            onClick={({ currentTarget }) => choose(scenario, currentTarget)}
          >
            <Icon name="play" />
            <span class="menu-name">{scenario.Name}</span>
          </button>
        ))}
      </Popover>
      {asked.value !== undefined && <Confirmation scenario={asked.value} />}
    </>
  );
}

function Confirmation({ scenario }: { readonly scenario: OfferedScenario }) {
  const words = wallWords().scenarios;
  const close = (): void => {
    asked.value = undefined;
  };
  const confirm = (): void => {
    close();
    run(scenario, true).catch(sayError);
  };
  return (
    <Dialog title={words.title} onClose={close}>
      <div class="dialog-form">
        <p>{words.question(scenario.Name)}</p>
        <div class="dialog-buttons">
          <Button onClick={close}>{commonWords().cancel}</Button>
          <Button kind="main" onClick={confirm}>
            {words.run}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
