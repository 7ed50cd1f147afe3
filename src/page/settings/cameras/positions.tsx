import { useSignal } from "@preact/signals";
import { POSITION_NAME_LENGTH_MAX } from "../../../contract/index.js";
import type { LinkTo, PtzCommandName, Queries } from "../../../contract/query/index.js";
import { Button } from "../../control/button.js";
import { Field } from "../../control/field.js";
import { say, sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { addressOf } from "../../state/address.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { SaveForm } from "../save-form.js";
import type { Camera } from "./model.js";

type PtzParameters = Partial<LinkTo<Queries["/ptz"]>>;

interface Position {
  readonly Index: number;
  readonly Name: string;
}

async function ask<Answer>(
  channelid: string,
  command: PtzCommandName,
  more: PtzParameters = {},
): Promise<Answer> {
  const address = addressOf("/ptz", { channelid, command, responsetype: "json", ...more });
  return await requestJson<Answer>(address, { method: "POST" });
}

/** The positions that a camera has saved. Somebody moves it live, and saves here where it looks. */
export function Positions({ camera: { Id } }: { readonly camera: Camera }) {
  const words = camerasWords().positions;
  const list = useSignal<readonly Position[]>([]);
  const name = useSignal("");
  const read = async (): Promise<void> => {
    list.value = (await ask<{ readonly Presets: readonly Position[] }>(Id, "getcapabilities")).Presets;
  };
  useRead(read, sayError);
  const act = async (command: PtzCommandName, parameters: PtzParameters, done: string): Promise<void> => {
    await ask(Id, command, parameters);
    say(done);
    await read();
  };
  const nameOf = ({ Index, Name }: Position): string => (Name === "" ? String(Index) : Name);
  return (
    <SaveForm
      fault={() => (name.value.trim() === "" ? words.nameNeeded : undefined)}
      onSave={async () => {
        const Name = name.value.trim();
        await act("savepreset", { name: Name }, words.saved(Name));
        name.value = "";
      }}
    >
      <h3>{words.title}</h3>
      <p class="hint">{words.why}</p>
      <ul class="session-list" aria-label={words.title}>
        {list.value.map((one) => {
          const [own, at] = [nameOf(one), { index: one.Index }];
          const save = (): Promise<void> => act("savepreset", { ...at, name: own }, words.saved(own));
          return (
            <li key={one.Index}>
              <p>{own}</p>
              <div class="edit-buttons">
                <Button
                  label={words.goTo(own)}
                  onClick={() => void act("gotopreset", at, words.goes(own)).catch(sayError)}
                >
                  {words.go}
                </Button>
                <Button label={words.saveAs(own)} onClick={() => void save().catch(sayError)}>
                  {words.saveHere}
                </Button>
                <RemoveButton
                  words={words.remove(own)}
                  sure={words.removeSure(own)}
                  onRemove={() => act("removepreset", at, words.removed(own)).catch(sayError)}
                />
              </div>
            </li>
          );
        })}
      </ul>
      <Field
        label={words.name}
        value={name.value}
        maxLength={POSITION_NAME_LENGTH_MAX}
        autocomplete="off"
        onValue={(value) => (name.value = value)}
      />
    </SaveForm>
  );
}
