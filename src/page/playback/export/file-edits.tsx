import { Choice } from "../../control/field.js";
import { fileEditWords } from "../../words/file-edits.js";
import { lengthWords } from "../time/format.js";
import { lengthOf } from "../timeline/span.js";
import { editsOf, FILM_MS_MIN, type FileEditsProps } from "./edits.js";
import { lackOfFiles } from "./saved-files.js";
import { Tick } from "./tick.js";

/** From a walk across the yard to a building that grows. */
const SPEEDS = [1, 4, 10, 30, 60, 120, 300, 600, 1440] as const;

/** Of a file that plays everywhere: what is missing for it, and what is done to its pictures, as far as cameras and time allow it. */
export function FileEditsForm({ channels, span, edits, onChange }: FileEditsProps) {
  const words = fileEditWords();
  const { speed } = editsOf({ edits, channels, span });
  const filmWords = (faster: number): string => lengthWords(lengthOf(span) / faster);
  const offered = SPEEDS.filter((one) => one === 1 || lengthOf(span) / one >= FILM_MS_MIN);
  const lack = lackOfFiles();
  return (
    <>
      {lack !== "None" && <p class="fault">{words.lack[lack]}</p>}
      <Tick name={words.showTime} isOn={edits.showTime} onChange={(on) => onChange({ showTime: on })} />
      {channels.length > 1 && (
        <Tick
          name={words.together(channels.length)}
          isOn={edits.isTogether}
          onChange={(on) => onChange({ isTogether: on })}
        />
      )}
      <Choice
        label={words.speed}
        value={String(speed)}
        options={offered.map((one) => [
          String(one),
          one === 1 ? words.asFast : words.faster(one, filmWords(one)),
        ])}
        onValue={(next) => onChange({ speed: Number(next) })}
      />
      {speed > 1 && (
        <p class="hint" role="status">
          {words.lapse(lengthWords(lengthOf(span)), filmWords(speed))}
        </p>
      )}
    </>
  );
}
