import { Button } from "../../../control/button.js";
import { CheckList } from "../../../control/check.js";
import { Choice, Field } from "../../../control/field.js";
import { camerasWords } from "../../../words/settings/cameras.js";
import { OBJECT_LABELS } from "./labels.js";
import { DIRECTIONS, LINE_NAME_MAX, type Line } from "./lines.js";

interface LineListProps {
  readonly lines: readonly Line[];
  readonly chosen: number | undefined;
  readonly onChoose: (index: number) => void;
  readonly onChange: (index: number, part: Partial<Line>) => void;
  readonly onRemove: (index: number) => void;
}

/** Of each line: which one is drawn, its name, in which direction and by whom it is crossed. */
export function LineList({ lines, chosen, onChoose, onChange, onRemove }: LineListProps) {
  const words = camerasWords();
  const { objects } = words;
  return (
    <ul class="zone-list" aria-label={objects.lines}>
      {lines.map((line, index) => (
        <li key={index} class={index === chosen ? "zone-item chosen" : "zone-item"}>
          <Button
            label={index === chosen ? words.zoneIsDrawn(line.name) : words.drawZone(line.name)}
            disabled={index === chosen}
            onClick={() => onChoose(index)}
          >
            {index === chosen ? words.isDrawn : words.draw}
          </Button>
          <Field
            label={objects.lineName}
            value={line.name}
            onValue={(name) => onChange(index, { name })}
            maxLength={LINE_NAME_MAX}
          />
          <Choice
            label={objects.direction}
            value={line.direction}
            options={DIRECTIONS.map((name) => [name, objects.directions[name]])}
            onValue={(direction) => onChange(index, { direction })}
          />
          <Button changes kind="danger" label={words.removeZone(line.name)} onClick={() => onRemove(index)}>
            {words.removeIt}
          </Button>
          {index === chosen && (
            <CheckList
              label={objects.lineKinds}
              options={OBJECT_LABELS.map((label) => [label, objects.labels[label]])}
              chosen={line.labels}
              onChosen={(labels) => onChange(index, { labels })}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
