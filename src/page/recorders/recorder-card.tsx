import type { HubBox, HubBoxFigures } from "../../contract/answer/index.js";
import { Icon } from "../control/icon.js";
import { daysText } from "../state/figures.js";
import { at } from "../state/place.js";
import { timeFormat } from "../state/time-format.js";
import { language } from "../words/language.js";
import { recordersWords } from "../words/recorders.js";
import { needsHand, stateOf } from "./recorders.js";

/** One recorder: the way into it, how it does, and what needs a hand. */
export function RecorderCard({ box }: { readonly box: HubBox }) {
  const words = recordersWords();
  const { Id, Name, Version, Silence, Figures } = box;
  return (
    <article class="card recorder-card" data-state={stateOf(box)}>
      <h2>
        <Icon name={needsHand(box) ? "warning" : "recorder"} />
        {Silence === null ? (
          <a href={at(`/boxes/${Id}/`)} title={words.open(Name)}>
            {Name}
          </a>
        ) : (
          <span>{Name}</span>
        )}
      </h2>
      {Silence !== null && <p class="fault">{silenceText(box, Silence)}</p>}
      {Silence !== null && box.IsReadOffSite && <p>{words.readOffSite}</p>}
      {Silence !== null && Figures !== null && <p class="hint">{words.before}</p>}
      {Figures === null ? (
        Silence === null && <p>{box.Health ?? words.present}</p>
      ) : (
        <Figured figures={Figures} />
      )}
      {Version !== null && <p class="hint recorder-version">{words.version(Version)}</p>}
    </article>
  );
}

function silenceText({ SeenTime }: HubBox, silence: NonNullable<HubBox["Silence"]>): string {
  const words = recordersWords();
  const why = words.silences[silence];
  return SeenTime === null ? words.absent(why) : words.silent(momentText(SeenTime), why);
}

export function momentText(time: string): string {
  return timeFormat(language.value, { dateStyle: "medium", timeStyle: "short" }).format(new Date(time));
}

/** What needs a hand, and the figures behind it. */
function Figured({ figures }: { readonly figures: HubBoxFigures }) {
  const words = recordersWords();
  const { Cameras, CamerasLost, Volumes, VolumesAtFault, DaysLeft, ProblemCount, Problems } = figures;
  const more = ProblemCount - Problems.length;
  return (
    <>
      {ProblemCount === 0 && <p>{words.well}</p>}
      <ul class="recorder-problems">
        {Problems.map(({ Code, Text, Title, Remedy }) => (
          <li key={`${Code} ${Text}`}>
            <p title={Text}>{Title}</p>
            {Remedy !== null && <p class="hint">{Remedy}</p>}
          </li>
        ))}
      </ul>
      {more > 0 && <p>{words.more(more)}</p>}
      <p class="recorder-figures">
        <span>{cameraText(Cameras, CamerasLost)}</span>
        <span>{diskText(Volumes, VolumesAtFault)}</span>
        {DaysLeft !== null && DaysLeft >= 1 && <span>{words.daysLeft(daysText(DaysLeft))}</span>}
      </p>
    </>
  );
}

function cameraText(all: number, lost: number): string {
  const words = recordersWords();
  if (all === 0) return words.noCameras;
  return lost === 0 ? words.cameras(all) : words.lost(lost, all);
}

function diskText(all: number, bad: number): string {
  const words = recordersWords();
  if (all === 0) return words.noDisks;
  return bad === 0 ? words.disks(all) : words.diskFault(bad, all);
}
