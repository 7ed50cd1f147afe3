import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { commonWords } from "../words/common.js";
import { Button } from "./button.js";

/** A part of the page that is fetched when it is shown first; offers to try again where that fails. */
export function Loaded({ load }: { readonly load: () => Promise<ComponentType> }) {
  const loaded = useSignal<{ component?: ComponentType; failed?: boolean }>({});
  const fetch = (): void => {
    loaded.value = {};
    load().then(
      (component) => (loaded.value = { component }),
      (error: unknown) => {
        console.error(error);
        loaded.value = { failed: true };
      },
    );
  };
  useEffect(fetch, [load]);
  const { component: Part, failed } = loaded.value;
  if (Part !== undefined) return <Part />;
  if (failed !== true) return <p class="quiet">{commonWords().loading}</p>;
  return (
    <div class="quiet" role="alert">
      <p>{commonWords().screenFailed}</p>
      <Button onClick={fetch}>{commonWords().retry}</Button>
    </div>
  );
}
