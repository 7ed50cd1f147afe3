import { useSignal } from "@preact/signals";
import type { FormerCamera } from "../../../contract/answer/index.js";
import { cameraConnection as connection } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { Dialog } from "../../control/dialog.js";
import { Fault } from "../../control/fault.js";
import { Choice, Field, PasswordField } from "../../control/field.js";
import { errorWords, say } from "../../control/notice.js";
import { channels } from "../../state/channels.js";
import { formerName, giveRecordings, readFormerCameras } from "../../state/former.js";
import { open } from "../../state/route.js";
import { commonWords } from "../../words/common.js";
import { formerWords } from "../../words/former.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { addCamera } from "../cameras/model.js";

interface FormerDialogProps {
  readonly camera: FormerCamera;
  readonly onClose: () => void;
}

/** Asks which camera gets the recordings. */
export function GiveDialog({ camera, onClose }: FormerDialogProps) {
  const words = formerWords();
  const name = formerName(camera, words.nameless);
  const there = channels.value ?? [];
  const chosen = useSignal(there[0]?.Id ?? "");
  const fault = useSignal("");
  const give = async (): Promise<void> => {
    try {
      await giveRecordings(camera.Id, chosen.value);
      say(words.gave(name, there.find((one) => one.Id === chosen.value)?.Name ?? ""));
      onClose();
    } catch (error) {
      fault.value = errorWords(error);
    }
  };
  return (
    <Dialog title={words.giveTitle(name)} onClose={onClose}>
      <div class="edit-form">
        {there.length === 0 ? (
          <p>{words.noCamera}</p>
        ) : (
          <>
            <p>{words.giveText}</p>
            <Choice
              label={words.giveTo}
              value={chosen.value}
              options={there.map((one) => [one.Id, one.Name] as const)}
              onValue={(id) => (chosen.value = id)}
            />
          </>
        )}
        <Fault text={fault.value} />
        <div class="edit-buttons">
          <Button onClick={onClose}>{commonWords().cancel}</Button>
          <Button kind="main" disabled={there.length === 0} onClick={() => void give()}>
            {words.give}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** Makes it a camera again, which has its recordings. */
export function SetUpDialog({ camera, onClose }: FormerDialogProps) {
  const { Id, Name } = camera;
  const [words, cameras] = [formerWords(), camerasWords()];
  const [address, login, password] = [useSignal(""), useSignal(""), useSignal("")];
  const fault = useSignal("");
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    fault.value = address.value.trim() === "" ? cameras.addressNeeded : "";
    if (fault.value !== "") return;
    try {
      await addCamera({
        // Without a name that is known it is named by its address.
        ...{ id: Id, name: Name === Id ? "" : Name, address: address.value.trim() },
        ...{ login: login.value, password: password.value },
      });
      await readFormerCameras();
      onClose();
      open("settings", { part: "cameras", camera: Id });
    } catch (error) {
      fault.value = errorWords(error);
    }
  };
  return (
    <Dialog title={words.setUpTitle(formerName(camera, words.nameless))} onClose={onClose}>
      <form class="edit-form" noValidate onSubmit={(event) => void submit(event)}>
        <p>{words.setUpText}</p>
        <Field
          label={cameras.address}
          hint={cameras.addressHint}
          text={address}
          autocomplete="off"
          maxLength={connection.Hostname.max}
          required
          autofocus
        />
        <Field label={cameras.login} text={login} autocomplete="off" maxLength={connection.Login.max} />
        <PasswordField
          label={cameras.password}
          text={password}
          autocomplete="off"
          maxLength={connection.Password.max}
        />
        <Fault text={fault.value} />
        <div class="edit-buttons">
          <Button onClick={onClose}>{commonWords().cancel}</Button>
          <Button kind="main" type="submit">
            {words.setUp}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
