import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { reachable } from "../state/request.js";
import { readSession } from "../state/session.js";
import { commonWords } from "../words/common.js";
import { Button } from "./button.js";

const TRIES = 3;
const RETRY_MS = 2000;

/** A part of the page that is fetched when it is shown first; comes by itself when the recorder answers again. */
export function Loaded({ load }: { readonly load: () => Promise<ComponentType> }) {
  const loaded = useSignal<{ component?: ComponentType; failed?: boolean }>({});
  const fetch = (triesLeft = TRIES): void => {
    load().then(
      (component) => (loaded.value = { component }),
      (error: unknown) => {
        console.warn("a part of the page cannot be fetched", error);
        loaded.value = { failed: true };
        // Is it the file alone, as after an update, or the recorder? The frame says the latter, and asks until it answers.
        void readSession();
        if (triesLeft > 0) setTimeout(() => fetch(triesLeft - 1), RETRY_MS);
      },
    );
  };
  useEffect(() => {
    loaded.value = {};
    fetch();
  }, [load]);
  const isThere = reachable.value;
  useEffect(() => {
    if (isThere && loaded.peek().failed === true) fetch();
  }, [isThere]);
  const { component: Part, failed } = loaded.value;
  if (Part !== undefined) return <Part />;
  if (failed !== true) return <p class="quiet">{commonWords().loading}</p>;
  return (
    <div class="quiet" role="alert">
      <p>{commonWords().screenFailed}</p>
      <Button onClick={() => location.reload()}>{commonWords().retry}</Button>
    </div>
  );
}
