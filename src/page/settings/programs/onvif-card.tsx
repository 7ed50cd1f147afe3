import { useSignal } from "@preact/signals";
import type { OnvifDeviceState } from "../../../contract/answer/index.js";
import { Check, CheckList } from "../../control/check.js";
import { sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { programsWords } from "../../words/settings/programs.js";
import { SaveForm } from "../save-form.js";
import { ONVIF_DEVICE } from "./model.js";

/** The recorder as an ONVIF device: who may use it, and who has to log in once before. */
export function OnvifCard({ users }: { readonly users: readonly string[] }) {
  const state = useSignal<OnvifDeviceState | undefined>(undefined);
  useRead(async () => {
    state.value = await requestJson<OnvifDeviceState>(ONVIF_DEVICE);
  }, sayError);
  const known = state.value;
  if (known === undefined) return null;
  return <OnvifForm users={users} known={known} onSaved={(next) => (state.value = next)} />;
}

interface OnvifFormProps {
  readonly users: readonly string[];
  readonly known: OnvifDeviceState;
  readonly onSaved: (next: OnvifDeviceState) => void;
}

function OnvifForm({ users, known, onSaved }: OnvifFormProps) {
  const words = programsWords();
  const { Settings, Users, Path } = known;
  // What the settings file names is where one begins.
  const chosen = useSignal<ReadonlySet<string>>(
    new Set(Settings?.UserNames ?? Users.map(({ Name }) => Name)),
  );
  const isForAll = useSignal(Settings?.IsForAllUsers ?? false);
  const isAnnounced = useSignal(Settings?.IsAnnounced ?? true);
  const body = (): object => ({
    ...{ UserNames: [...chosen.value], IsForAllUsers: isForAll.value, IsAnnounced: isAnnounced.value },
  });
  const waiting = Users.filter(({ IsReady }) => !IsReady).map(({ Name }) => Name);
  return (
    <SaveForm
      saved={words.onvifSaved}
      onSave={async () => onSaved(await requestJson(ONVIF_DEVICE, { method: "PUT", body: body() }))}
    >
      <h3>{words.onvif}</h3>
      <p>{words.onvifWhy}</p>
      <Check
        label={words.onvifAll}
        checked={isForAll.value}
        onChecked={(value) => (isForAll.value = value)}
      />
      {!isForAll.value && (
        <CheckList
          label={words.onvifUsers}
          options={users.map((name) => [name, name] as const)}
          chosen={chosen.value}
          onChosen={(next) => (chosen.value = next)}
        />
      )}
      <p class="hint">{words.onvifKept}</p>
      <Check
        label={words.onvifAnnounced}
        checked={isAnnounced.value}
        onChecked={(value) => (isAnnounced.value = value)}
      />
      {known.Source === "SettingsFile" && <p class="hint">{words.onvifOfFile}</p>}
      {Users.length > 0 && <p>{words.onvifAt(location.origin + Path)}</p>}
      {waiting.length > 0 && <p role="status">{words.onvifWaiting(waiting.join(", "))}</p>}
    </SaveForm>
  );
}
