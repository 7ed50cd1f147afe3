import { useSignal } from "@preact/signals";
import type { HubBoxes, HubCodeAnswer } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { Loaded } from "../../control/loaded.js";
import { sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { addressOf } from "../../state/route.js";
import { recordersWords } from "../../words/recorders.js";
import { fleetWords } from "../../words/settings/fleet.js";
import { momentText } from "./moment.js";

const BOXES = "/api/boxes";
/** What draws it is fetched when there is a code. */
const codePicture = async () => (await import("./code-picture.js")).CodePicture;

/** The recorders of this hub, and a code for another one; nothing where this is no hub. */
export function BoxesCard() {
  const words = fleetWords();
  const states = recordersWords();
  const list = useSignal<HubBoxes | null>(null);
  const code = useSignal<HubCodeAnswer | undefined>(undefined);
  useRead(
    async () => {
      list.value = await requestJson<HubBoxes | null>(BOXES);
    },
    sayError,
    [code.value],
  );
  const add = async (): Promise<void> => {
    try {
      code.value = await requestJson<HubCodeAnswer>(`${BOXES}/code`, { method: "POST" });
    } catch (error) {
      sayError(error);
    }
  };
  const remove = async (id: string): Promise<void> => {
    try {
      list.value = await requestJson<HubBoxes>(`${BOXES}/${id}`, { method: "DELETE" });
    } catch (error) {
      sayError(error);
    }
  };
  if (list.value === null) return null;
  const { Boxes, Problem } = list.value;
  return (
    <article class="card">
      <h3>{words.boxes}</h3>
      {Problem !== null && <p class="fault">{states.hubProblem(Problem)}</p>}
      {Boxes.length === 0 && <p>{words.noBoxes}</p>}
      <ul>
        {Boxes.map((box) => (
          <li key={box.Id} class="hub-box">
            <p>
              <strong>{box.Name}</strong>{" "}
              <span class="hint">
                {box.Silence === null ? states.present : states.absent(states.silences[box.Silence])}
              </span>
            </p>
            <RemoveButton words={words.remove} sure={words.removeSure} onRemove={() => remove(box.Id)} />
          </li>
        ))}
      </ul>
      <p>
        <a href={addressOf("recorders")}>{words.states}</a>
      </p>
      <Button onClick={() => void add()}>{words.add}</Button>
      {code.value !== undefined && (
        <>
          <p>{words.paste(momentText(code.value.UntilTime))}</p>
          <p>
            <code>{code.value.Code}</code>
          </p>
          <Loaded load={codePicture} props={{ text: code.value.Code }} />
        </>
      )}
    </article>
  );
}
