import { Choice, Field } from "../control/field.js";
import { channels } from "../state/channels.js";
import { reviewWords } from "../words/review.js";
import { DAYS, HOURS, KIND_GROUP_NAMES, ORDERS, type ReviewFilter } from "./filter.js";

interface FilterBarProps {
  readonly filter: ReviewFilter;
  /** Zones that the list has. */
  readonly zones: readonly string[];
  /** Lines that were crossed. */
  readonly lines: readonly string[];
  readonly onFilter: (filter: ReviewFilter) => void;
}

/** Which findings are shown, and in which order. */
export function FilterBar({ filter, zones, lines, onFilter }: FilterBarProps) {
  const words = reviewWords();
  const set = (change: Partial<ReviewFilter>): void => onFilter({ ...filter, ...change });
  const cameras = (channels.value ?? []).filter(({ AllowedArchive }) => AllowedArchive);
  return (
    <search class="review-filter">
      <Field
        label={words.text}
        type="search"
        value={filter.text}
        maxLength={64}
        onValue={(text) => set({ text })}
      />
      {cameras.length > 1 && (
        <Choice
          label={words.camera}
          value={filter.camera}
          options={[["", words.allCameras], ...cameras.map(({ Id, Name }) => [Id, Name] as const)]}
          onValue={(camera) => set({ camera })}
        />
      )}
      <Choice
        label={words.kind}
        value={filter.kind}
        options={[
          ["", words.allKinds],
          ...KIND_GROUP_NAMES.map((name) => [name, words.groups[name]] as const),
        ]}
        onValue={(kind) => set({ kind })}
      />
      <NameChoice
        label={words.zone}
        all={words.allZones}
        names={zones}
        value={filter.zone}
        onName={(zone) => set({ zone })}
      />
      <NameChoice
        label={words.line}
        all={words.allLines}
        names={lines}
        value={filter.line}
        onName={(line) => set({ line })}
      />
      <Choice
        label={words.day}
        value={filter.day}
        options={DAYS.map((day) => [day, words.days[day]] as const)}
        onValue={(day) => set({ day, hour: "" })}
      />
      {(filter.day === "today" || filter.day === "yesterday") && (
        <Choice
          label={words.hour}
          value={filter.hour}
          options={[
            ["", words.allHours],
            ...HOURS.map((hour) => [`${hour}`, `${hour}:00–${hour}:59`] as const),
          ]}
          onValue={(hour) => set({ hour })}
        />
      )}
      <ListChoices filter={filter} onChange={set} />
    </search>
  );
}

interface NameChoiceProps {
  readonly label: string;
  readonly all: string;
  /** Those that the list has; empty and repeated ones do not count. */
  readonly names: readonly string[];
  readonly value: string;
  readonly onName: (name: string) => void;
}

/** A choice among the names that the list has; nothing where it has none. */
function NameChoice({ label, all, names, value, onName }: NameChoiceProps) {
  const known = [...new Set([...names, value])].filter((name) => name !== "");
  if (known.length === 0) return null;
  const options = [["", all] as const, ...known.map((name) => [name, name] as const)];
  return <Choice label={label} value={value} options={options} onValue={onName} />;
}

interface ListChoicesProps {
  readonly filter: ReviewFilter;
  readonly onChange: (change: Partial<ReviewFilter>) => void;
}

/** How the list is made of what fits. */
function ListChoices({ filter, onChange }: ListChoicesProps) {
  const words = reviewWords();
  return (
    <>
      <Choice
        label={words.order}
        value={filter.order}
        options={ORDERS.map((order) => [order, words.orders[order]] as const)}
        onValue={(order) => onChange({ order })}
      />
      <Choice
        label={words.shown}
        value={filter.all}
        options={[
          ["", words.onlyNew],
          ["1", words.seenToo],
        ]}
        onValue={(all) => onChange({ all: all === "1" ? "1" : "" })}
      />
    </>
  );
}
