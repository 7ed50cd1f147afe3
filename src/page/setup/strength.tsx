import { useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import type { PasswordStrength } from "../../contract/answer/index.js";
import { PASSWORD_LENGTH_MIN } from "../../contract/index.js";
import { requestJson } from "../state/request.js";
import { setupWords } from "../words/setup.js";

/** A password is judged when it has not been changed for so long. */
const TYPED_MS = 400;
/** The weakest has a bar too. */
const SCORE_MAX = 5;

/** How strong a password is, as the recorder judges it, and what to do. */
export function Strength({ password, name }: { readonly password: string; readonly name: string }) {
  const words = setupWords();
  const id = useId();
  const judged = useSignal<PasswordStrength | undefined>(undefined);
  useEffect(() => {
    judged.value = undefined;
  }, [password]);
  useEffect(() => {
    if (password.length < PASSWORD_LENGTH_MIN) return;
    const end = new AbortController();
    const ask = (): void =>
      void requestJson<PasswordStrength>("/api/setup/strength", {
        ...{ method: "POST", body: { Password: password, ServerName: name }, signal: end.signal },
      }).then(
        (answer) => (judged.value = answer),
        // The recorder judges again when the password is sent.
        (error: unknown) => end.signal.aborted || console.warn("a password could not be judged", error),
      );
    const timer = setTimeout(ask, TYPED_MS);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, [password, name]);
  const { value } = judged;
  return (
    <div class="strength">
      <label class="only-read" for={id}>
        {words.strength}
      </label>
      <meter
        id={id}
        min={0}
        max={SCORE_MAX}
        low={3}
        high={4}
        optimum={SCORE_MAX}
        value={value === undefined ? 0 : value.Score + 1}
      />
      <p class="hint" role="status">
        {password !== "" && password.length < PASSWORD_LENGTH_MIN && words.short}
        {value !== undefined && (
          <>
            {words.scores[value.Score]}. {value.Warning !== null && words.warnings[value.Warning]}{" "}
            {!value.IsAccepted && value.Advice.map((advice) => words.advice[advice]).join(" ")}
          </>
        )}
      </p>
    </div>
  );
}
