import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { AcmeAnswer } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { locale } from "../../state/locale.js";
import { useRead } from "../../state/reading.js";
import { startTask } from "../../state/tasks.js";
import { timeFormat } from "../../state/time-format.js";
import { language } from "../../words/language.js";
import { acmeWords } from "../../words/settings/acme.js";
import { Progress } from "../disks/progress.js";
import { AcmeForm } from "./acme-form.js";
import { requestAcme } from "./acme-model.js";

const ASKED_MS = 1500;

interface AcmeProps {
  /** The certificate of HTTPS may be another one now; whether an authority is asked. */
  readonly onChange: (isOn: boolean) => void;
}

/** Certificates from an authority that browsers trust: set up, followed, switched off. */
export function Acme({ onChange }: AcmeProps) {
  const words = acmeWords();
  const state = useSignal<AcmeAnswer | undefined>(undefined);
  const isEdited = useSignal(false);
  const take = (next: AcmeAnswer): void => {
    state.value = next;
    if (!next.IsWorking) onChange(next.Settings !== null);
  };
  const read = async (): Promise<void> => take(await requestAcme());
  const act = async (work: () => Promise<void>): Promise<void> => {
    await work().catch(sayError);
  };
  useRead(read, sayError, [language.value]);
  const known = state.value;
  useEffect(() => {
    if (known?.IsWorking !== true) return;
    const timer = setTimeout(() => void act(read), ASKED_MS);
    return () => clearTimeout(timer);
  }, [known]);
  if (known === undefined) return null;
  const { Settings } = known;
  const close = (next?: AcmeAnswer): void => {
    isEdited.value = false;
    if (next !== undefined) take(next);
  };
  return (
    <>
      <h4>{words.title}</h4>
      {Settings === null ? <p>{words.why}</p> : <Present state={known} />}
      <div class="edit-buttons">
        <Button onClick={() => (isEdited.value = true)}>
          {Settings === null ? words.setUp : words.change}
        </Button>
        {Settings !== null && (
          <>
            {known.Failure !== null && !known.IsWorking && (
              <Button
                onClick={() =>
                  void act(async () => {
                    await startTask("ObtainCertificate");
                    await read();
                  })
                }
              >
                {words.again}
              </Button>
            )}
            <RemoveButton
              words={words.off}
              sure={words.offSure}
              onRemove={() => act(async () => take(await requestAcme("DELETE")))}
            />
          </>
        )}
      </div>
      {isEdited.value && <AcmeForm settings={Settings ?? undefined} onClose={close} />}
    </>
  );
}

/** How it goes. */
function Present({ state }: { readonly state: AcmeAnswer }) {
  const words = acmeWords();
  const day = timeFormat(locale.value, { dateStyle: "medium", timeStyle: "short" });
  const { Settings, IsWorking, Progress: part, Certificate, NextTime, Failure } = state;
  const names = Settings?.Names.join(", ") ?? "";
  const next = NextTime === null ? undefined : day.format(Date.parse(NextTime));
  return (
    <div role="status" class="update-row">
      {IsWorking && <Progress label={words.working(names)} part={part} />}
      {!IsWorking && next === undefined && <p>{words.waits}</p>}
      {!IsWorking && Failure === null && Certificate !== null && next !== undefined && (
        <p>{words.good(names, next)}</p>
      )}
      {!IsWorking && Failure !== null && (
        <>
          <p class="fault">{Failure.Title}</p>
          <p>{Failure.Remedy}</p>
          <p class="hint" lang="en">
            {Failure.Reason}
          </p>
          {next !== undefined && <p>{words.next(next)}</p>}
        </>
      )}
    </div>
  );
}
