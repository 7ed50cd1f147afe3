import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { AwayState, FleetPartners, FleetReplicas } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { Choice, Field } from "../../control/field.js";
import { say, sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { sizeText } from "../../state/figures.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { markSaved } from "../../state/unsaved.js";
import { replicasWords } from "../../words/settings/replicas.js";
import { type Camera, cameras, changeCamera, readCameras } from "../cameras/model.js";

const REPLICAS = "/api/fleet/replicas";

interface Known {
  readonly partners: FleetPartners["Partners"];
  readonly replicas: FleetReplicas;
  readonly sent: readonly AwayState[];
}

/** Which cameras' recordings lie at a partner too, and what partners may keep here; nothing where there are none. */
export function ReplicasCard() {
  const known = useSignal<Known | undefined>(undefined);
  const looks = useSignal(0);
  useRead(
    async () => {
      const [{ Partners: partners }, replicas, sent] = await Promise.all([
        requestJson<FleetPartners>("/api/fleet/partners"),
        requestJson<FleetReplicas>(REPLICAS),
        requestJson<readonly AwayState[]>("/api/away"),
        readCameras(),
      ]);
      known.value = { partners, replicas, sent };
    },
    sayError,
    [looks.value],
  );
  const { partners = [], replicas, sent = [] } = known.value ?? {};
  if (replicas === undefined || partners.length + replicas.Shares.length === 0) return null;
  const again = (): number => (looks.value += 1);
  return (
    <>
      <SentCard partners={partners} sent={sent} onChange={again} />
      <KeptCard partners={partners} replicas={replicas} onChange={again} />
    </>
  );
}

function SentCard({
  partners,
  sent,
  onChange,
}: Pick<Known, "partners" | "sent"> & { readonly onChange: () => void }) {
  const words = replicasWords();
  const put = async (camera: Camera, id: string): Promise<void> => {
    try {
      await changeCamera(camera, { ServerBindingsSettings: { ReplicationServerId: id === "" ? null : id } });
      say(words.saved(camera.Name));
      onChange();
    } catch (error) {
      sayError(error);
    }
  };
  const states = sent.filter(({ Id }) => partners.some((partner) => partner.Id === Id));
  const own = (cameras.value ?? []).filter(
    ({ ServerBindingsSettings: { OwnerServerId } }) => !partners.some(({ Id }) => Id === OwnerServerId),
  );
  return (
    <article class="card" aria-label={words.sent}>
      <h3>{words.sent}</h3>
      <p>{words.sentWhy}</p>
      {own.map((camera) => {
        const value = camera.ServerBindingsSettings.ReplicationServerId ?? "";
        const others = partners.map(({ Id, Name }) => [Id, Name] as const);
        const isKnown = value === "" || partners.some(({ Id }) => Id === value);
        return (
          <Choice
            key={camera.Id}
            label={camera.Name}
            value={value}
            options={[["", words.nowhere], ...others, ...(isKnown ? [] : [[value, words.unknown] as const])]}
            onValue={(id) => void put(camera, id)}
          />
        );
      })}
      {states.map(({ Id, Name, SentSegments, SentBytes, WaitingBytes, Problem, ReadProblem }) => (
        <div key={Id}>
          <p>
            {words.state(Name, SentSegments, sizeText(SentBytes))}{" "}
            {WaitingBytes > 0 && words.waiting(sizeText(WaitingBytes))}
          </p>
          {(Problem ?? ReadProblem) !== null && <p class="advice">{Problem ?? ReadProblem}</p>}
        </div>
      ))}
    </article>
  );
}

function KeptCard({
  partners,
  replicas: { Shares, Problem },
  onChange,
}: Pick<Known, "partners" | "replicas"> & { readonly onChange: () => void }) {
  const words = replicasWords();
  const former = Shares.filter(({ Id }) => !partners.some((partner) => partner.Id === Id));
  return (
    <article class="card">
      <h3>{words.kept}</h3>
      <p>{words.keptWhy}</p>
      {Problem !== null && <p class="fault">{Problem}</p>}
      {[...partners, ...former].map(({ Id, Name }) => {
        const share = Shares.find((each) => each.Id === Id);
        return <Share key={Id} id={Id} name={Name} share={share} onChange={onChange} />;
      })}
    </article>
  );
}

function Share({
  id,
  name,
  share,
  onChange,
}: {
  readonly id: string;
  readonly name: string;
  readonly share: FleetReplicas["Shares"][number] | undefined;
  readonly onChange: () => void;
}) {
  const words = replicasWords();
  const typed = useSignal(`${share?.GigabytesMax ?? 0}`);
  const fault = useSignal("");
  const form = useRef<HTMLFormElement>(null);
  const ask = async (method: "PUT" | "DELETE", body: object | undefined, done: string): Promise<void> => {
    try {
      await requestJson(`${REPLICAS}/${id}`, { method, ...(body === undefined ? {} : { body }) });
      markSaved(form.current);
      say(done);
      onChange();
    } catch (error) {
      sayError(error);
    }
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    fault.value = /^\d{1,7}$/.test(typed.value.trim()) ? "" : words.wrong;
    if (fault.value === "") void ask("PUT", { GigabytesMax: Number(typed.value) }, words.given);
  };
  return (
    <form ref={form} data-guarded="" onSubmit={submit}>
      <Field
        label={words.share(name)}
        value={typed.value}
        onValue={(value) => (typed.value = value)}
        autocomplete="off"
      />
      <p class="fault" role="alert">
        {fault.value}
      </p>
      {share !== undefined && (
        <p>
          {words.used(sizeText(share.UsedBytes))} {!share.IsPartner && words.noPartner}
        </p>
      )}
      <Button type="submit">{words.save}</Button>
      {share !== undefined && (
        <RemoveButton
          words={words.remove}
          sure={words.removeSure}
          onRemove={() => ask("DELETE", undefined, words.removed)}
        />
      )}
    </form>
  );
}
