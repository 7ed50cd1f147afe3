import { useSignal } from "@preact/signals";
import type { Disk, DiskFigureName, DiskSample } from "../../../contract/answer/index.js";
import { Dialog } from "../../control/dialog.js";
import { sayError } from "../../control/notice.js";
import { sizeText } from "../../state/figures.js";
import { locale } from "../../state/locale.js";
import { useRead } from "../../state/reading.js";
import { commonWords } from "../../words/common.js";
import { disksWords } from "../../words/disks.js";
import { smartWords } from "../../words/settings/smart.js";
import { celsiusText, diskTitle, runningText } from "./disk-words.js";
import { FIGURES, readHistory } from "./disks.js";
import { Trend } from "./trend.js";
import { wearTexts } from "./wear.js";

/** What a disk says of itself: in words, in figures, and over the years. */
export function SmartDialog({ disk, onClose }: { readonly disk: Disk; readonly onClose: () => void }) {
  const words = smartWords();
  const samples = useSignal<readonly DiskSample[] | undefined>(undefined);
  useRead(async () => {
    samples.value = await readHistory(disk.Device);
  }, sayError);
  const { Smart, Verdict } = disk;
  return (
    <Dialog title={diskTitle(disk)} onClose={onClose}>
      <div class="edit-form">
        <p>
          <strong>{disksWords().health[Verdict]}</strong>
          {Smart?.Passed === false ? ` – ${words.saysFailing}` : ""}
        </p>
        {Smart === null ? <p>{words.nothing}</p> : <p>{words.why[Verdict]}</p>}
        {wearTexts(disk, samples.value ?? []).map((text) => (
          <p key={text}>{text}</p>
        ))}
        {Smart !== null && <FigureTable figures={Smart} />}
        {samples.value === undefined && <p class="quiet">{commonWords().loading}</p>}
        {samples.value !== undefined && samples.value.length > 1 && <Trends samples={samples.value} />}
        {samples.value !== undefined && samples.value.length < 2 && Smart !== null && (
          <p class="hint">{words.tooYoung}</p>
        )}
      </div>
    </Dialog>
  );
}

function FigureTable({ figures }: { readonly figures: Readonly<Record<DiskFigureName, number | null>> }) {
  const words = smartWords();
  const rows = FIGURES.flatMap((name) => {
    const value = figures[name];
    return value === null ? [] : [{ name, value }];
  });
  return (
    <table class="smart-table">
      <caption>{words.figures}</caption>
      <tbody>
        {rows.map(({ name, value }) => (
          <tr key={name}>
            <th scope="row">{words.figure[name]}</th>
            <td>{figureText(name, value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Figures that show most over the years. */
const TRENDS = [
  "TemperatureCelsius",
  "BytesWritten",
  "PercentageUsed",
  "ReallocatedSectors",
  "PendingSectors",
] as const;

function Trends({ samples }: { readonly samples: readonly DiskSample[] }) {
  const words = smartWords();
  return (
    <section class="trends" aria-label={words.history}>
      <h3>{words.history}</h3>
      {TRENDS.map((name) => {
        const points = samples.flatMap(({ Date: day, [name]: value }) =>
          value === null ? [] : [{ atMs: Date.parse(day), value }],
        );
        if (points.length < 2) return null;
        return (
          <Trend
            key={name}
            name={words.figure[name]}
            points={points}
            text={(value) => figureText(name, value)}
          />
        );
      })}
    </section>
  );
}

function figureText(name: DiskFigureName, value: number): string {
  switch (name) {
    case "TemperatureCelsius":
      return celsiusText(value);
    case "PowerOnHours":
      return runningText(value);
    case "BytesWritten":
      return sizeText(value);
    case "PercentageUsed":
    case "AvailableSparePercent":
      return `${value} %`;
    default:
      return new Intl.NumberFormat(locale.value).format(value);
  }
}
