import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { cameraConnection as connection, NAME_LENGTH_MAX } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { Fault } from "../../control/fault.js";
import { Field, PasswordField } from "../../control/field.js";
import { errorWords, say } from "../../control/notice.js";
import type { StreamAddress } from "../../finding/stream-address.js";
import { open } from "../../state/route.js";
import { markSaved } from "../../state/unsaved.js";
import { findingWords } from "../../words/finding.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { addCamera } from "./model.js";

interface StreamFormProps {
  /** What was typed as the address of a camera, and is that of a stream. */
  readonly typed: StreamAddress | undefined;
}

/** A camera that no search finds, by the address of its stream. */
export function StreamForm({ typed }: StreamFormProps) {
  const [words, finding] = [camerasWords(), findingWords()];
  const [name, address, login, password] = [useSignal(""), useSignal(""), useSignal(""), useSignal("")];
  const fault = useSignal("");
  const details = useRef<HTMLDetailsElement>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (typed === undefined || details.current === null) return;
    address.value = typed.address;
    login.value = typed.login;
    password.value = typed.password;
    details.current.open = true;
    details.current.querySelector("input")?.focus();
    say(words.streamMoved);
  }, [typed]);
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
      markSaved(form.current);
      open("settings", { part: "cameras", camera: id });
    } catch (error) {
      fault.value = errorWords(error);
    }
  };
  return (
    <details ref={details} class="card finding-more">
      <summary>{words.byStream}</summary>
      <form ref={form} data-guarded="" noValidate onSubmit={(event) => void submit(event)}>
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
