import { useSignal } from "@preact/signals";
import { scenarioAction } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { Choice, Field } from "../../control/field.js";
import { addressOf } from "../../state/address.js";
import { channels } from "../../state/channels.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { scenariosWords } from "../../words/settings/scenarios.js";
import { ACTION_TYPES, type Action } from "./model.js";

interface ActionFieldsProps {
  readonly number: number;
  readonly action: Action;
  readonly onAction: (part: Partial<Action>) => void;
  readonly onEarlier: () => void;
  readonly onRemove: () => void;
}

const { Alarm, Output, Record: RECORD } = scenarioAction.of;

/** One thing that a scenario does. */
export function ActionFields({ number, action, onAction, onEarlier, onRemove }: ActionFieldsProps) {
  const words = scenariosWords();
  return (
    <fieldset>
      <legend>{words.actionNumber(number)}</legend>
      <Choice
        label={words.type}
        value={action.Type}
        options={ACTION_TYPES.map((type) => [type, words.types[type]] as const)}
        onValue={(Type) => onAction({ Type, Seconds: Type === "Record" ? 60 : null })}
      />
      <Choice
        label={words.where}
        value={action.ChannelId ?? ""}
        options={[
          ["", words.itsCameras],
          ...(channels.value ?? []).map(({ Id, Name }) => [Id, Name] as const),
        ]}
        onValue={(id) => onAction({ ChannelId: id === "" ? null : id })}
      />
      <OfType action={action} onAction={onAction} />
      <div class="edit-buttons">
        {number > 1 && (
          <Button changes onClick={onEarlier}>
            {words.earlier(number)}
          </Button>
        )}
        <Button changes onClick={onRemove}>
          {words.removeAction(number)}
        </Button>
      </div>
    </fieldset>
  );
}

type OfTypeProps = Pick<ActionFieldsProps, "action" | "onAction">;

function OfType({ action, onAction }: OfTypeProps) {
  const words = scenariosWords();
  const { Type, ChannelId = null } = action;
  switch (Type) {
    case "Record":
      return <Seconds action={action} onAction={onAction} />;
    case "Preset":
      return (
        <Listed
          label={words.preset}
          hint={words.presetHint}
          value={action.Preset == null ? "" : `${action.Preset}`}
          of={ChannelId}
          read={readPositions}
          onValue={(text) => onAction({ Preset: Number.parseInt(text, 10) })}
        />
      );
    case "Output":
      return (
        <>
          <Listed
            label={words.output}
            hint={words.outputHint}
            value={action.Output ?? ""}
            of={ChannelId}
            read={readOutputs}
            onValue={(Output) => onAction({ Output })}
          />
          <Choice
            label={words.turn}
            value={action.IsOn === false ? "off" : "on"}
            options={[
              ["on", words.on],
              ["off", words.off],
            ]}
            onValue={(state) => onAction({ IsOn: state === "on" })}
          />
          <Seconds action={action} hint={words.secondsHint} onAction={onAction} />
        </>
      );
    case "Announcement":
      return (
        <Listed
          label={words.types.Announcement}
          hint={words.announcementHint}
          value={action.AnnouncementId ?? ""}
          of=""
          read={readAnnouncements}
          onValue={(AnnouncementId) => onAction({ AnnouncementId })}
        />
      );
    default:
      return (
        <Field
          label={words.text}
          hint={words.textHint}
          value={action.Text ?? ""}
          maxLength={Alarm.Text.max}
          onValue={(Text) => onAction({ Text })}
        />
      );
  }
}

function Seconds({ action, hint, onAction }: OfTypeProps & { readonly hint?: string }) {
  const { Seconds: seconds } = action;
  return (
    <Field
      label={scenariosWords().seconds}
      {...(hint === undefined ? {} : { hint })}
      value={seconds == null || Number.isNaN(seconds) ? "" : `${seconds}`}
      maxLength={String(RECORD.Seconds.max).length}
      onValue={(text) => onAction({ Seconds: text.trim() === "" ? null : Number.parseInt(text, 10) })}
    />
  );
}

type Options = readonly (readonly [string, string])[];

interface ListedProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  /** The camera that is asked; null: none, or each of several. */
  readonly of: string | null;
  readonly read: (channel: string) => Promise<Options>;
  readonly onValue: (value: string) => void;
}

/** One of those that a camera has, by its name; typed where no camera lists them. */
function Listed({ label, hint, value, of, read, onValue }: ListedProps) {
  const list = useSignal<Options>([]);
  useRead(
    async () => {
      list.value = [];
      if (of !== null) list.value = await read(of);
    },
    // The camera does not list them: they are typed.
    () => (list.value = []),
    [of, read],
  );
  if (list.value.length === 0)
    return <Field label={label} hint={hint} value={value} maxLength={Output.Output.max} onValue={onValue} />;
  const isListed = list.value.some(([id]) => id === value);
  return (
    <Choice
      label={label}
      value={value}
      options={isListed ? list.value : [[value, value], ...list.value]}
      onValue={onValue}
    />
  );
}

async function readPositions(channelid: string): Promise<Options> {
  const asked = { channelid, command: "getcapabilities", responsetype: "json" } as const;
  const { Presets } = await requestJson<{
    readonly Presets: readonly { readonly Index: number; readonly Name: string }[];
  }>(addressOf("/ptz", asked), { method: "POST" });
  return Presets.map(({ Index, Name }) => [`${Index}`, Name === "" ? `${Index}` : Name] as const);
}

async function readOutputs(channel: string): Promise<Options> {
  const list = await requestJson<readonly { readonly Output: string }[]>(`/api/channels/${channel}/outputs`);
  return list.map(({ Output }) => [Output, Output] as const);
}

async function readAnnouncements(): Promise<Options> {
  const list =
    await requestJson<readonly { readonly Id: string; readonly Name: string }[]>("/api/announcements");
  return list.map(({ Id, Name }) => [Id, Name] as const);
}
