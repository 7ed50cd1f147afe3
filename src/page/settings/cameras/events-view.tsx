import { useSignal } from "@preact/signals";
import { errorWords } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { camerasWords } from "../../words/cameras.js";
import { Devices } from "./devices.js";
import { type Camera, RTSP_MODEL } from "./model.js";

interface Offered {
  readonly Topic: string;
  readonly Kind: "motion" | "tampering" | "input" | "rule" | null;
  readonly IsUsed: boolean;
}

/** Which events the camera offers, and what the recorder does with them. */
export function EventsView({ camera }: { readonly camera: Camera }) {
  const words = camerasWords().offered;
  const { Id, ConnectionSettings } = camera;
  const offered = useSignal<readonly Offered[] | undefined>(undefined);
  const told = useSignal("");
  const takesInputs = ConnectionSettings.IoProcessingEnabled;
  useRead(
    async () => {
      const isAsked = ConnectionSettings.ModelId !== RTSP_MODEL;
      offered.value = isAsked
        ? await requestJson<readonly Offered[]>(`/api/channels/${Id}/cameraevents`)
        : [];
    },
    (error) => (told.value = errorWords(error)),
    [Id, takesInputs],
  );
  const list = offered.value;
  return (
    <>
      <section class="card edit-form">
        <h3>{words.title}</h3>
        <p class="hint">{words.why}</p>
        <p role="status">
          {list === undefined ? told.value || words.asked : list.length === 0 && words.none}
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
              {list.map(({ Topic, Kind, IsUsed }) => (
                <tr key={Topic}>
                  <th scope="row">{Topic.replaceAll("/", " / ")}</th>
                  <td>{becomes({ Kind, IsUsed })}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <Devices camera={camera} />
    </>
  );
}

function becomes({ Kind, IsUsed }: Pick<Offered, "Kind" | "IsUsed">): string {
  const words = camerasWords().offered;
  if (Kind === null) return words.unused;
  return IsUsed ? words.used[Kind] : words.off[Kind === "motion" ? "motion" : "input"];
}
