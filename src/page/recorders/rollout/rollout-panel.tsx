import "./rollout.css";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { HubBox, HubRollout } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { CheckList } from "../../control/check.js";
import { Fault } from "../../control/fault.js";
import { Field } from "../../control/field.js";
import { FileButton } from "../../control/file-button.js";
import { sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { sendFile } from "../../state/send-file.js";
import { commonWords } from "../../words/common.js";
import { rolloutWords } from "../../words/rollout.js";
import { plannedGroups } from "./plan.js";

const ROLLOUT = "/api/boxes/rollout";
const READ_MS = 3000;
const WATCH_MINUTES = "10";
const GROUP_SIZE = "10";

/** An update of many recorders: the bundle, the groups, and how each does. */
export function RolloutPanel({ boxes }: { readonly boxes: readonly HubBox[] }) {
  const words = rolloutWords();
  const state = useSignal<HubRollout | null | undefined>(undefined);
  const turn = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") turn.value += 1;
    }, READ_MS);
    return () => clearInterval(timer);
  }, []);
  useRead(
    async () => {
      state.value = await requestJson<HubRollout | null>(ROLLOUT);
    },
    sayError,
    [turn.value],
  );
  const ask = async (method: "POST" | "DELETE", body?: object): Promise<void> => {
    try {
      state.value = await requestJson<HubRollout | null>(ROLLOUT, {
        ...{ method, ...(body === undefined ? {} : { body }) },
      });
    } catch (error) {
      sayError(error);
    }
  };
  const known = state.value;
  if (known === undefined) return <p class="quiet">{commonWords().loading}</p>;
  const phase = known?.Phase;
  return (
    <div class="rollout">
      <p>{words.why}</p>
      {phase !== "Running" && <Sending known={known} onRead={readAgain} />}
      {phase === "Ready" && <Plan boxes={boxes} onBegin={(body) => ask("POST", body)} />}
      {known !== null && phase !== "Ready" && (
        <>
          <p role="status" class={phase === "Stopped" ? "fault" : undefined}>
            {words.phases[known.Phase](known.Version ?? "")}
            {known.Reason !== null && <span lang="en"> {known.Reason}</span>}
          </p>
          <Groups groups={known.Groups} />
          <div class="edit-buttons">
            <Button kind={phase === "Running" ? "danger" : "plain"} onClick={() => void ask("DELETE")}>
              {phase === "Running" ? words.stop : words.forget}
            </Button>
          </div>
        </>
      )}
    </div>
  );

  function readAgain(): void {
    turn.value += 1;
  }
}

interface SendingProps {
  readonly known: HubRollout | null;
  readonly onRead: () => void;
}

/** The bundle, as it comes to the hub. */
function Sending({ known, onRead }: SendingProps) {
  const words = rolloutWords();
  const part = useSignal<number | undefined>(undefined);
  const fault = useSignal("");
  const send = async (file: File): Promise<void> => {
    part.value = 0;
    fault.value = "";
    try {
      const onPart = (share: number): void => {
        part.value = share;
      };
      await sendFile(`${ROLLOUT}/bundle`, file, { onPart, signal: new AbortController().signal });
    } catch (error) {
      const sentence = error instanceof Error ? error.message : "";
      fault.value = sentence === "" ? commonWords().offline : sentence;
    } finally {
      part.value = undefined;
      onRead();
    }
  };
  return (
    <div class="rollout-bundle">
      {known?.Phase === "Ready" && <p>{words.bundle(Math.ceil(known.Bytes / 1e6))}</p>}
      {part.value !== undefined && <progress aria-label={words.sendingBundle} value={part.value} max={1} />}
      <Fault text={fault.value} />
      {part.value === undefined && (
        <FileButton label={words.chooseBundle} accept=".raucb" onFile={(file) => void send(file)} />
      )}
    </div>
  );
}

interface PlanProps {
  readonly boxes: readonly HubBox[];
  readonly onBegin: (body: object) => Promise<void>;
}

function Plan({ boxes, onBegin }: PlanProps) {
  const words = rolloutWords();
  const first = useSignal<ReadonlySet<string>>(new Set());
  const size = useSignal(GROUP_SIZE);
  const minutes = useSignal(WATCH_MINUTES);
  const isBusy = useSignal(false);
  const groups = plannedGroups(
    boxes.map(({ Id }) => Id),
    { first: first.value, size: Number(size.value) },
  );
  const begin = async (event: Event): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    await onBegin({
      Groups: groups.map((Recorders) => ({ Recorders })),
      WatchMinutes: Number(minutes.value),
    });
    isBusy.value = false;
  };
  return (
    <form class="rollout-plan" onSubmit={(event) => void begin(event)}>
      <CheckList
        label={words.first}
        options={boxes.map(({ Id, Name, Version }) => [Id, Version === null ? Name : `${Name} (${Version})`])}
        chosen={first.value}
        onChosen={(chosen) => {
          first.value = chosen;
        }}
      />
      <p class="hint">{words.firstHint}</p>
      <Field label={words.size} text={size} autocomplete="off" required />
      <Field label={words.minutes} text={minutes} autocomplete="off" required hint={words.minutesHint} />
      <Button kind="main" type="submit" disabled={isBusy.value}>
        {words.begin(boxes.length, groups.length)}
      </Button>
    </form>
  );
}

function Groups({ groups }: { readonly groups: HubRollout["Groups"] }) {
  const words = rolloutWords();
  return (
    <ol class="rollout-groups">
      {groups.map(({ Recorders }, at) => (
        <li key={Recorders[0]?.Id ?? at} class="card">
          <h2>{words.group(at + 1)}</h2>
          <ul>
            {Recorders.map(({ Id, Name, Step, Percent, Reason }) => (
              <li key={Id} data-step={Step}>
                <span>{Name}</span>
                <span class="rollout-step">
                  {words.steps[Step]}
                  {Percent !== null && ` ${Percent} %`}
                </span>
                {Reason !== null && (
                  <span class="hint" lang="en">
                    {Reason}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}
