import { useSignal } from "@preact/signals";
import type { HubBox, HubBoxes, HubCodeAnswer } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { at } from "../../state/place.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { fleetWords } from "../../words/settings/fleet.js";
import { momentText } from "./moment.js";

const BOXES = "/api/boxes";

/** The recorders of this hub, and a code for another one; nothing where this is no hub. */
export function BoxesCard() {
  const words = fleetWords();
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
      {Problem !== null && <p class="fault">{words.hubProblem(Problem)}</p>}
      {Boxes.length === 0 && <p>{words.noBoxes}</p>}
      <ul>
        {Boxes.map((box) => (
          <li key={box.Id} class="hub-box">
            <Box box={box} />
            <RemoveButton words={words.remove} sure={words.removeSure} onRemove={() => remove(box.Id)} />
          </li>
        ))}
      </ul>
      <Button onClick={() => void add()}>{words.add}</Button>
      {code.value !== undefined && (
        <>
          <p>{words.paste(momentText(code.value.UntilTime))}</p>
          <p>
            <code>{code.value.Code}</code>
          </p>
        </>
      )}
    </article>
  );
}

function Box({ box: { Id, Name, Version, Health, SeenTime, Silence } }: { readonly box: HubBox }) {
  const words = fleetWords();
  const why = Silence === null ? "" : words.silences[Silence];
  return (
    <>
      <p>
        {Silence === null ? <a href={at(`/boxes/${Id}/`)}>{Name}</a> : <strong>{Name}</strong>}{" "}
        {Version !== null && <span class="hint">{words.version(Version)}</span>}
      </p>
      {Silence === null ? (
        <p>{Health ?? words.present}</p>
      ) : (
        <p class="fault">{SeenTime === null ? words.absent(why) : words.silent(momentText(SeenTime), why)}</p>
      )}
    </>
  );
}
