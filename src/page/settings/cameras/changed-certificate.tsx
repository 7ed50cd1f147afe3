import { useSignal } from "@preact/signals";
import { Button } from "../../control/button.js";
import { say, sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { request, requestJson } from "../../state/request.js";
import { camerasWords } from "../../words/settings/cameras.js";

/** A key of a camera's certificate, as `GET /api/channels/{id}/certificate` has it. */
interface Key {
  readonly Port: number;
  readonly Sha256: string;
  readonly Offered: string | null;
}

/** A camera that shows another certificate than before: its owner says whether it is still the camera. */
export function ChangedCertificate({ id }: { readonly id: string }) {
  const words = camerasWords().certificate;
  const keys = useSignal<readonly Key[]>([]);
  const path = `/api/channels/${id}/certificate`;
  useRead(async () => {
    keys.value = await requestJson<readonly Key[]>(path);
  }, sayError);
  const accept = async (Sha256: string): Promise<void> => {
    try {
      await request(path, { method: "POST", body: { Sha256 } });
      keys.value = [];
      say(words.accepted);
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <section class="card" aria-label={words.title}>
      <h3>{words.title}</h3>
      <p>{words.what}</p>
      {keys.value.map(
        ({ Port, Sha256, Offered }) =>
          Offered !== null && (
            <div key={Port}>
              <dl class="camera-keys">
                <dt>{words.before(Port)}</dt>
                <dd>{Sha256}</dd>
                <dt>{words.now}</dt>
                <dd>{Offered}</dd>
              </dl>
              <Button kind="danger" onClick={() => void accept(Offered)}>
                {words.accept}
              </Button>
            </div>
          ),
      )}
    </section>
  );
}
