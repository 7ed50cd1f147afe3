import "./template.css";
import { useSignal } from "@preact/signals";
import type { HubBox, HubTemplates } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { commonWords } from "../../words/common.js";
import { templateWords } from "../../words/template.js";
import { settingName, shownValue } from "./shown-setting.js";
import { TemplateForm } from "./template-form.js";
import { TEMPLATES } from "./template-requests.js";
import { TemplateUse } from "./template-use.js";

/** Templates for the settings of cameras: making them, what they would change at recorders, applying and undoing. */
export function TemplatePanel({ boxes }: { readonly boxes: readonly HubBox[] }) {
  const words = templateWords();
  const known = useSignal<HubTemplates | undefined>(undefined);
  const read = async (): Promise<void> => {
    known.value = await requestJson<HubTemplates>(TEMPLATES);
  };
  useRead(read, sayError, []);
  if (known.value === undefined) return <p class="quiet">{commonWords().loading}</p>;
  const { Templates, Applied } = known.value;
  const remove = async (id: string): Promise<void> => {
    try {
      known.value = await requestJson<HubTemplates>(`${TEMPLATES}/${id}`, { method: "DELETE" });
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <div class="templates">
      <p>{words.why}</p>
      {Templates.length === 0 && <p class="quiet">{words.none}</p>}
      <ul class="template-list">
        {Templates.map((template) => (
          <li key={template.Id} class="card">
            <h2>{template.Name}</h2>
            <p class="hint">{words.of(template.Source, template.MadeBy)}</p>
            <Settings settings={template.Settings} />
            <Button kind="danger" onClick={() => void remove(template.Id)}>
              {words.remove(template.Name)}
            </Button>
          </li>
        ))}
      </ul>
      {Templates.length > 0 && (
        <TemplateUse boxes={boxes} templates={Templates} applied={Applied} onDone={() => void read()} />
      )}
      <TemplateForm
        boxes={boxes}
        onMade={(templates) => {
          known.value = templates;
        }}
      />
    </div>
  );
}

type Setting = HubTemplates["Templates"][number]["Settings"][number];

function Settings({ settings }: { readonly settings: readonly Setting[] }) {
  const words = templateWords();
  return (
    <details>
      <summary>{words.settingCount(settings.length)}</summary>
      <ul>
        {settings.map(({ Setting, Value }) => (
          <li key={Setting}>
            {settingName(Setting)}: {shownValue(Value)}
          </li>
        ))}
      </ul>
    </details>
  );
}
