import { useSignal } from "@preact/signals";
import type { Outputs as OutputList } from "../../contract/answer/index.js";
import { Button } from "../control/button.js";
import { Fault } from "../control/fault.js";
import { Choice } from "../control/field.js";
import { errorWords, say, sayError } from "../control/notice.js";
import type { Channel } from "../state/channels.js";
import { useRead } from "../state/reading.js";
import { RequestError, requestJson } from "../state/request.js";
import { commonWords } from "../words/common.js";
import { wallWords } from "../words/wall.js";

type Output = OutputList[number];

/** For how long an output is switched; empty: until it is switched again. */
const SPANS = ["", "1", "5", "30", "60", "600"] as const;

/** The digital outputs of a camera. No camera reports their state: what was switched here is shown. */
export function Outputs({ channel: { Id, Name } }: { readonly channel: Channel }) {
  const words = wallWords().devices;
  const list = useSignal<readonly Output[] | undefined>(undefined);
  const problem = useSignal("");
  const span = useSignal<(typeof SPANS)[number]>("");
  const states = useSignal<Readonly<Record<string, string>>>({});
  const isBusy = useSignal(false);
  useRead(
    async () => {
      list.value = await requestJson<OutputList>(`/api/channels/${Id}/outputs`);
      problem.value = "";
    },
    (error) => (problem.value = errorWords(error)),
  );
  async function turn({ Output, PulseSeconds }: Output, IsOn: boolean): Promise<void> {
    // A button that is disabled would lose the focus.
    if (isBusy.peek()) return;
    const Seconds = span.value === "" ? null : Number(span.value);
    isBusy.value = true;
    try {
      await requestJson(`/api/channels/${Id}/outputs`, { method: "POST", body: { Output, IsOn, Seconds } });
      const seconds = IsOn ? (Seconds ?? PulseSeconds) : Seconds;
      const state = IsOn ? words.isOn(seconds) : words.isOff(seconds);
      states.value = { ...states.value, [Output]: state };
      say(`${Name}, ${Output}: ${state}`);
    } catch (error) {
      if (error instanceof RequestError) problem.value = errorWords(error);
      else sayError(error);
    } finally {
      isBusy.value = false;
    }
  }
  return (
    <section class="devices">
      <h3>{words.outputs}</h3>
      {list.value === undefined && problem.value === "" && <p class="quiet">{commonWords().loading}</p>}
      <Fault text={problem.value} />
      {list.value !== undefined && (
        <Choice
          label={words.span}
          value={span.value}
          options={SPANS.map((one) => [one, words.spanOf(Number(one))] as const)}
          onValue={(one) => (span.value = one)}
        />
      )}
      <ul aria-label={words.outputs}>
        {list.value?.map((output) => (
          <li key={output.Output}>
            <p>
              {output.Output}
              <span class="hint" role="status">
                {" "}
                {states.value[output.Output] ?? pulseWords(output)}
              </span>
            </p>
            {([true, false] as const).map((isOn) => (
              <Button
                key={`${isOn}`}
                label={`${isOn ? words.on : words.off}: ${output.Output}`}
                onClick={() => void turn(output, isOn)}
              >
                {isOn ? words.on : words.off}
              </Button>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function pulseWords({ PulseSeconds }: Output): string {
  return PulseSeconds === null ? "" : wallWords().devices.pulse(PulseSeconds);
}
