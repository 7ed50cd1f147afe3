import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { HubBox, HubTemplates } from "../../../contract/answer/index.js";
import { TEMPLATE_PARTS, type TemplatePart } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { CheckList } from "../../control/check.js";
import { Choice, Field } from "../../control/field.js";
import { sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { markSaved } from "../../state/unsaved.js";
import { templateWords } from "../../words/template.js";
import { ANSWER_MS, TEMPLATES } from "./template-requests.js";

interface FormProps {
  readonly boxes: readonly HubBox[];
  readonly onMade: (templates: HubTemplates) => void;
}

/** Makes a template of a recorder's or a camera's settings. */
export function TemplateForm({ boxes, onMade }: FormProps) {
  const words = templateWords();
  const name = useSignal("");
  const present = boxes.filter(({ IsConnected }) => IsConnected);
  const recorder = useSignal(present[0]?.Id ?? "");
  const camera = useSignal("");
  const cameras = useSignal<readonly { readonly Id: string; readonly Name: string }[]>([]);
  const parts = useSignal<ReadonlySet<TemplatePart>>(new Set(TEMPLATE_PARTS));
  const isBusy = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  useRead(
    async () => {
      camera.value = "";
      cameras.value = [];
      if (recorder.value !== "") cameras.value = await requestJson(`/boxes/${recorder.value}/api/channels`);
    },
    sayError,
    [recorder.value],
  );
  const make = async (event: Event): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    try {
      const body = {
        ...{ Name: name.value, Recorder: recorder.value, Parts: [...parts.value] },
        ...(camera.value === "" ? {} : { Camera: camera.value }),
      };
      onMade(await requestJson<HubTemplates>(TEMPLATES, { method: "POST", body, answerMs: ANSWER_MS }));
      name.value = "";
      markSaved(form.current);
    } catch (error) {
      sayError(error);
    }
    isBusy.value = false;
  };
  if (present.length === 0) return null;
  return (
    <form ref={form} class="template-form" data-guarded="" onSubmit={(event) => void make(event)}>
      <h2>{words.make}</h2>
      <Field label={words.name} text={name} autocomplete="off" maxLength={128} required />
      <Choice
        label={words.from}
        value={recorder.value}
        options={present.map(({ Id, Name }) => [Id, Name])}
        onValue={(id) => {
          recorder.value = id;
        }}
      />
      <Choice
        label={words.camera}
        value={camera.value}
        options={[["", words.allCameras], ...cameras.value.map(({ Id, Name }) => [Id, Name] as const)]}
        onValue={(id) => {
          camera.value = id;
        }}
      />
      <CheckList
        label={words.parts}
        options={TEMPLATE_PARTS.map((part) => [part, words.partNames[part]])}
        chosen={parts.value}
        onChosen={(chosen) => {
          parts.value = chosen;
        }}
      />
      <Button kind="main" type="submit" disabled={isBusy.value || parts.value.size === 0}>
        {words.create}
      </Button>
    </form>
  );
}
