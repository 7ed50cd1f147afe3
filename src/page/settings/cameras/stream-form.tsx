import { useSignal } from "@preact/signals";
import { cameraConnection as connection, NAME_LENGTH_MAX } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { Fault } from "../../control/fault.js";
import { Field, PasswordField } from "../../control/field.js";
import { errorWords } from "../../control/notice.js";
import { open } from "../../state/route.js";
import { findingWords } from "../../words/finding.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { addCamera } from "./model.js";

/** A camera that no search finds, by the address of its stream. */
export function StreamForm() {
  const [words, finding] = [camerasWords(), findingWords()];
  const [name, address, login, password] = [useSignal(""), useSignal(""), useSignal(""), useSignal("")];
  const fault = useSignal("");
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    fault.value = /^rtsp(?:s|\+https?)?:\/\/./i.test(address.value.trim()) ? "" : words.notStream;
    if (fault.value !== "") return;
    try {
      const id = await addCamera({
        name: name.value.trim(),
        address: address.value.trim(),
        login: login.value,
        password: password.value,
      });
      open("settings", { part: "cameras", camera: id });
    } catch (error) {
      fault.value = errorWords(error);
    }
  };
  return (
    <details class="card finding-more">
      <summary>{words.byStream}</summary>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <p class="hint">{words.byStreamHint}</p>
        <Field label={words.name} text={name} maxLength={NAME_LENGTH_MAX} />
        <Field
          label={words.streamAddress}
          hint={words.streamAddressHint}
          text={address}
          autocomplete="off"
          maxLength={connection.Hostname.max}
          required
        />
        <Field label={finding.loginName} text={login} autocomplete="off" maxLength={connection.Login.max} />
        <PasswordField
          label={finding.loginPassword}
          text={password}
          autocomplete="off"
          maxLength={connection.Password.max}
        />
        <Fault text={fault.value} />
        <Button type="submit">{words.addStream}</Button>
      </form>
    </details>
  );
}
