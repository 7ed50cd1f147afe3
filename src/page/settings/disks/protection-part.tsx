import { useSignal } from "@preact/signals";
import { Button } from "../../control/button.js";
import { sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { request, requestJson } from "../../state/request.js";
import { formerWords } from "../../words/former.js";
import { SureDialog } from "./sure-dialog.js";

/** The list of protected recordings is damaged: what that means, and the way on. Nothing while it is known. */
export function ProtectionPart() {
  const words = formerWords();
  const isUnknown = useSignal(false);
  const isAsked = useSignal(false);
  const read = async (): Promise<void> => {
    const { Problems } = await requestJson<{ Problems: readonly { Code: string }[] }>("/api/health");
    isUnknown.value = Problems.some(({ Code }) => Code === "protection-unknown");
  };
  useRead(read, sayError);
  if (!isUnknown.value) return null;
  const accept = async (): Promise<void> => {
    isAsked.value = false;
    try {
      await request("/api/protected/accept", { method: "POST" });
      await read();
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <section class="card" aria-label={words.isLost}>
      <h3>{words.isLost}</h3>
      <p role="alert">{words.lost}</p>
      <Button kind="danger" onClick={() => (isAsked.value = true)}>
        {words.accept}
      </Button>
      {isAsked.value && (
        <SureDialog
          title={words.isLost}
          text={words.lost}
          sure={words.acceptSure}
          act={words.accept}
          onAct={() => void accept()}
          onClose={() => (isAsked.value = false)}
        />
      )}
    </section>
  );
}
