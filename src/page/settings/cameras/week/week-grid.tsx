import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { camerasWords } from "../../../words/settings/cameras.js";
import { CELLS, type Cell, cellState, DAYS, painted, stretchOf, timeText, type Week } from "./week.js";

interface WeekGridProps {
  /** What its filled hours are. */
  readonly label: string;
  readonly week: Week;
  readonly onWeek: (week: Week) => void;
}

/** Below this width the hours run downwards, so that a finger finds them. */
const NARROW = "(max-width: 40rem)";
/** A label of the hours at every so many half hours. */
const LABELLED = 6;

/** What is painted, from where, and onto what. */
interface Stroke {
  readonly from: Cell;
  readonly isOn: boolean;
  readonly before: Week;
}

/** A week in half hours. A pointer paints over them; arrows go through them, Space changes one, with Shift arrows paint. */
export function WeekGrid({ label, week, onWeek }: WeekGridProps) {
  const words = camerasWords();
  const grid = useRef<HTMLTableElement>(null);
  const stroke = useRef<Stroke | undefined>(undefined);
  const focused = useSignal<Cell>([0, 0]);
  const onPointerDown = (event: PointerEvent): void => {
    const cell = cellOf(event.target);
    if (cell === undefined || event.button !== 0) return;
    event.preventDefault();
    grid.current?.setPointerCapture(event.pointerId);
    stroke.current = { from: cell, isOn: cellState(week, cell) !== "on", before: week };
    focused.value = cell;
    onWeek(painted(week, cell, cell, stroke.current.isOn));
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (stroke.current === undefined) return;
    const { from, isOn, before } = stroke.current;
    const cell = cellOf(document.elementFromPoint(event.clientX, event.clientY));
    if (cell !== undefined) onWeek(painted(before, from, cell, isOn));
  };
  const end = (): void => {
    stroke.current = undefined;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const from = focused.peek();
    if (event.key === " ") {
      event.preventDefault();
      onWeek(painted(week, from, from, cellState(week, from) !== "on"));
      return;
    }
    const to = neighbour(from, event.key);
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    if (event.shiftKey) onWeek(painted(week, from, to, cellState(week, from) === "on"));
    focused.value = to;
    grid.current?.querySelector<HTMLElement>(`[data-cell="${to.join(" ")}"]`)?.focus();
  };
  return (
    <table
      ref={grid}
      class="week"
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the grid of ARIA is a table whose cells take keys.
      role="grid"
      aria-label={label}
      aria-description={words.weekKeys}
      aria-multiselectable="true"
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={end}
      onPointerCancel={end}
      onKeyDown={onKeyDown}
    >
      <tbody class="week-days">
        <Hours />
        {DAYS.map((name, day) => (
          <tr key={name} class="week-day">
            <th scope="row" class="week-name" aria-label={words.days[name]}>
              {words.daysShort[name]}
            </th>
            {Array.from({ length: CELLS }, (_, cell) => (
              <HalfHour
                key={cell}
                day={day}
                cell={cell}
                state={cellState(week, [day, cell])}
                isFocused={focused.value[0] === day && focused.value[1] === cell}
                onFocus={() => (focused.value = [day, cell])}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The hours beside the cells, which have their times in their own names. */
function Hours() {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing of it takes the focus.
    <tr class="week-day" aria-hidden="true">
      <td />
      {Array.from({ length: CELLS / LABELLED }, (_, index) => (
        <td key={index} class="week-hour">
          {timeText(stretchOf(index * LABELLED)[0])}
        </td>
      ))}
    </tr>
  );
}

interface HalfHourProps {
  readonly day: number;
  readonly cell: number;
  readonly state: "on" | "off" | "part";
  readonly isFocused: boolean;
  readonly onFocus: () => void;
}

function HalfHour({ day, cell, state, isFocused, onFocus }: HalfHourProps) {
  const words = camerasWords();
  const [from, to] = stretchOf(cell);
  const name = DAYS[day] ?? DAYS[0];
  return (
    <td
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of a grid takes keys.
      role="gridcell"
      class={`half-hour ${state}`}
      data-cell={`${day} ${cell}`}
      tabIndex={isFocused ? 0 : -1}
      aria-selected={state !== "off"}
      aria-label={words.halfHour(words.days[name], timeText(from), timeText(to), state === "part")}
      onFocus={onFocus}
    />
  );
}

function cellOf(target: EventTarget | null): Cell | undefined {
  if (!(target instanceof HTMLElement)) return undefined;
  const [day, cell] = (target.dataset.cell ?? "").split(" ").map(Number);
  return day === undefined || cell === undefined ? undefined : [day, cell];
}

/** Where a key leads, as the grid is seen: with the hours to the right, or downwards. */
function neighbour([day, cell]: Cell, key: string): Cell | undefined {
  const isNarrow = matchMedia(NARROW).matches;
  const step = STEPS[key];
  if (key === "Home") return [day, 0];
  if (key === "End") return [day, CELLS - 1];
  if (step === undefined) return undefined;
  const [along, across] = isNarrow ? [step[1], step[0]] : step;
  const within = (value: number, count: number): number => Math.min(Math.max(value, 0), count - 1);
  return [within(day + across, DAYS.length), within(cell + along, CELLS)];
}

/** To the right, and downwards. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
