import { useEffect } from "preact/hooks";
import { sayError } from "../../control/notice.js";
import { eventTypes, readEventNames } from "../../events/names.js";
import { channels } from "../../state/channels.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { scenariosWords } from "../../words/settings/scenarios.js";
import { type CardProps, ItemCard, ItemsSection } from "../items-section.js";
import { readScenarios, type Scenarios, type Start } from "./model.js";
import { ScenarioForm } from "./scenario-form.js";

/** What is done together, and what starts it. */
export function ScenariosSection() {
  const words = scenariosWords();
  useEffect(() => void readEventNames().catch(sayError), []);
  return (
    <ItemsSection
      words={[words.title, words.why, words.add, words.none]}
      read={readScenarios}
      card={ScenarioCard}
      form={ScenarioForm}
    />
  );
}

function ScenarioCard({ item: scenario, onEdit }: CardProps<Scenarios>) {
  const words = scenariosWords();
  const { Name, NeedConfirmation, ChannelIds, Actions, Starts } = scenario;
  const cameras = (channels.value ?? []).filter(({ Id }) => ChannelIds.includes(Id));
  return (
    <ItemCard name={Name} onEdit={onEdit}>
      <p>{words.does(Actions.map(({ Type }) => words.types[Type]).join(", "))}</p>
      <p>{words.startedBy([words.byUsers, ...Starts.map(startWords)].join("; "))}</p>
      {cameras.length > 0 && <p>{words.at(cameras.map((camera) => camera.Name).join(", "))}</p>}
      {NeedConfirmation && <p class="hint">{words.confirmed}</p>}
    </ItemCard>
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
