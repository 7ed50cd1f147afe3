import { useSignal } from "@preact/signals";
import type { OfferedEvents } from "../../../contract/answer/index.js";
import { errorWords } from "../../control/notice.js";
import { addressOf } from "../../state/address.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { language } from "../../words/language.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { Devices } from "./devices.js";
import { type Camera, RTSP_MODEL } from "./model.js";
import { SeenForm } from "./seen-form.js";
import type { SeenKind } from "./seen-kinds.js";

/** Which events the camera offers, what the recorder does with them, and which of them it is to use. */
export function EventsView({ camera }: { readonly camera: Camera }) {
  const words = camerasWords().offered;
  const { Id, ConnectionSettings } = camera;
  const isOnvif = ConnectionSettings.ModelId !== RTSP_MODEL;
  const offered = useSignal<OfferedEvents | undefined>(undefined);
  const kinds = useSignal<readonly SeenKind[]>([]);
  const fault = useSignal("");
  const saves = useSignal(0);
  const takesInputs = ConnectionSettings.IoProcessingEnabled;
  useRead(
    async () => {
      kinds.value = await requestJson<readonly SeenKind[]>(
        addressOf("/api/cameraeventkinds", { language: language.value }),
      );
    },
    (error) => (fault.value = errorWords(error)),
    [language.value],
  );
  useRead(
    async () => {
      offered.value = isOnvif ? await requestJson<OfferedEvents>(`/api/channels/${Id}/cameraevents`) : [];
    },
    (error) => (fault.value = errorWords(error)),
    [Id, takesInputs, saves.value],
  );
  const list = offered.value;
  const nameOf = (kind: string): string => kinds.value.find(({ Kind }) => Kind === kind)?.Name ?? kind;
  return (
    <>
      <section class="card edit-form">
        <h3>{words.title}</h3>
        <p class="hint">{words.why}</p>
        <p role="status">
          {list === undefined ? fault.value || words.asked : list.length === 0 && words.none}
        </p>
        {list !== undefined && list.length > 0 && (
          <table class="stream-table" aria-label={words.title}>
            <thead>
              <tr>
                <th scope="col">{words.event}</th>
                <th scope="col">{words.becomes}</th>
              </tr>
            </thead>
            <tbody>
              {list.map(({ Topic, ...offer }) => (
                <tr key={Topic}>
                  <th scope="row">{Topic.replaceAll("/", " / ")}</th>
                  <td>{becomes(offer, nameOf)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      {isOnvif && kinds.value.length > 0 && (list !== undefined || fault.value !== "") && (
        <SeenForm
          key={Id}
          camera={camera}
          kinds={kinds.value}
          offered={new Set(list?.flatMap(({ Kinds }) => Kinds))}
          onSaved={() => (saves.value += 1)}
        />
      )}
      <Devices camera={camera} />
    </>
  );
}

function becomes(
  { Kinds, IsUsed, Setting }: Omit<OfferedEvents[number], "Topic">,
  nameOf: (kind: string) => string,
): string {
  const words = camerasWords().offered;
  const [first] = Kinds;
  if (first === undefined) return words.unused;
  if (!IsUsed) return words.off[Setting ?? "CameraEventSettings"];
  if (first === "motion" || first === "input") return words.used[first];
  return words.used.seen(Kinds.map(nameOf).join(", "));
}
