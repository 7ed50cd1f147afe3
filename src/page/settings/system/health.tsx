import { useSignal } from "@preact/signals";
import type { Health as Answer, ArchiveReach } from "../../../contract/answer/index.js";
import { Icon } from "../../control/icon.js";
import { sayError } from "../../control/notice.js";
import { daysText } from "../../state/figures.js";
import { lastingSentence, readReach } from "../../state/reach.js";
import { useRead } from "../../state/reading.js";
import { systemWords } from "../../words/settings/system.js";

/** How the recorder is in a sentence, then what is wrong and what to do about it. */
export function Health({ state }: { readonly state: Answer }) {
  const words = systemWords();
  const { Cameras, Problems } = state;
  const reach = useSignal<ArchiveReach | undefined>(undefined);
  const read = async (): Promise<void> => {
    reach.value = await readReach();
  };
  // As often as the health beside it.
  useRead(read, sayError, [state]);
  const sentences = [
    words.recorded(Cameras.Recording, Cameras.ToRecord),
    ...(reach.value === undefined ? [] : [...depthSentence(reach.value), lastingSentence(reach.value)]),
  ];
  return (
    <article class={`card health ${state.State}`}>
      <p class="health-sentence" role="status">
        <Icon name={state.State === "ok" ? "info" : "warning"} />
        {words.state[state.State]}
      </p>
      <p>{sentences.join(" ")}</p>
      {Problems.length > 0 && (
        <ul class="problem-list" aria-label={words.problems}>
          {Problems.map((problem) => (
            <Problem key={`${problem.Code} ${problem.Text}`} problem={problem} />
          ))}
        </ul>
      )}
    </article>
  );
}

/** How far back the recordings of the camera reach that has the oldest. */
function depthSentence({ Channels }: ArchiveReach): string[] {
  const days = Math.max(0, ...Channels.map(({ DepthDays }) => DepthDays ?? 0));
  return days > 0 ? [systemWords().depth(daysText(days))] : [];
}

function Problem({ problem }: { readonly problem: Answer["Problems"][number] }) {
  const { Severity, Text, Title, Remedy } = problem;
  return (
    <li class={`problem ${Severity}`}>
      <p class="problem-what">{`${systemWords().severity[Severity]}: ${Title}`}</p>
      <p class="hint" lang="en">
        {Text}
      </p>
      <p>{Remedy}</p>
    </li>
  );
}
