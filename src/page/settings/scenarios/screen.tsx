import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../control/button.js";
import { sayError } from "../../control/notice.js";
import { eventTypes, readEventNames } from "../../events/names.js";
import { channels } from "../../state/channels.js";
import { useRead } from "../../state/reading.js";
import { alarmsWords } from "../../words/alarms.js";
import { camerasWords } from "../../words/cameras.js";
import { commonWords } from "../../words/common.js";
import { scenariosWords } from "../../words/scenarios.js";
import { readScenarios, type Scenario, type Scenarios, type Start } from "./model.js";
import { ScenarioForm } from "./scenario-form.js";

/** What is done together, and what starts it. */
export function ScenariosSection() {
  const words = scenariosWords();
  const known = useSignal<Scenarios | undefined>(undefined);
  /** Undefined inside: a new one. */
  const edited = useSignal<{ readonly scenario: Scenario | undefined } | undefined>(undefined);
  const read = async (): Promise<void> => {
    known.value = await readScenarios();
  };
  useRead(read, sayError);
  useEffect(() => {
    readEventNames().catch(sayError);
  }, []);
  const close = (): void => {
    edited.value = undefined;
    read().catch(sayError);
  };
  return (
    <section class="settings-part">
      <h2>{words.title}</h2>
      <p>{words.why}</p>
      <div class="edit-buttons">
        <Button kind="main" onClick={() => (edited.value = { scenario: undefined })}>
          {words.add}
        </Button>
      </div>
      {known.value === undefined && <p class="quiet">{commonWords().loading}</p>}
      {known.value?.list.length === 0 && <p class="hint">{words.none}</p>}
      {known.value?.list.map((scenario) => (
        <ScenarioCard key={scenario.Id} scenario={scenario} onEdit={() => (edited.value = { scenario })} />
      ))}
      {edited.value !== undefined && (
        <ScenarioForm
          scenario={edited.value.scenario}
          revision={known.value?.revision ?? ""}
          onClose={close}
        />
      )}
    </section>
  );
}

interface ScenarioCardProps {
  readonly scenario: Scenario;
  readonly onEdit: () => void;
}

function ScenarioCard({ scenario, onEdit }: ScenarioCardProps) {
  const [words, alarms] = [scenariosWords(), alarmsWords()];
  const { Name, NeedConfirmation, ChannelIds, Actions, Starts } = scenario;
  const cameras = (channels.value ?? []).filter(({ Id }) => ChannelIds.includes(Id));
  return (
    <article class="card alarm-card">
      <header>
        <h3>{Name}</h3>
        <Button label={alarms.changeNamed(Name)} onClick={onEdit}>
          {alarms.change}
        </Button>
      </header>
      <p>{words.does(Actions.map(({ Type }) => words.types[Type]).join(", "))}</p>
      <p>{words.startedBy([words.byUsers, ...Starts.map(startWords)].join("; "))}</p>
      {cameras.length > 0 && <p>{words.at(cameras.map((camera) => camera.Name).join(", "))}</p>}
      {NeedConfirmation && <p class="hint">{words.confirmed}</p>}
    </article>
  );
}

function startWords(start: Start): string {
  if (start.Type === "Schedule") {
    const { daysShort } = camerasWords();
    return `${start.Days.map((day) => daysShort[day]).join(", ")}, ${start.Time}`;
  }
  const names = new Map(eventTypes.value);
  return start.EventTypeIds.map((id) => names.get(id) ?? id).join(", ");
}
