import { useEffect, useRef } from "preact/hooks";
import { Trial } from "./trial.js";

/** The trials of a form; what is under way is not followed when the form is left. */
export function useTrial(): Trial {
  const trial = useRef<Trial | undefined>(undefined);
  trial.current ??= new Trial();
  useEffect(() => () => trial.current?.close(), []);
  return trial.current;
}
