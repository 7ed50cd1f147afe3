import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { reachable } from "../state/request.js";
import { readSession } from "../state/session.js";
import { fetchWords } from "../words/dictionary.js";
import { loadingWords } from "../words/loading.js";
import { Button } from "./button.js";

const TRIES = 3;
const RETRY_MS = 2000;

/** Fetches a part of the page and its words in the chosen language. */
export async function fetchPart<Part>(load: () => Promise<Part>): Promise<Part> {
  const part = await load();
  await fetchWords();
  return part;
}

interface LoadedProps<Props> {
  readonly load: () => Promise<ComponentType<Props>>;
  /** Of the part. */
  readonly props: Props;
  /** The style of what stands there meanwhile. */
  readonly kind?: "quiet" | "entrance" | "tile-problem waiting" | "only-read";
}

/** A part of the page that is fetched when it is shown first; comes by itself when the recorder answers again. */
export function Loaded<Props extends object>({ load, props, kind = "quiet" }: LoadedProps<Props>) {
  const loaded = useSignal<{ component?: ComponentType<Props>; failed?: boolean }>({});
  const fetch = (triesLeft = TRIES): void => {
    fetchPart(load).then(
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
  if (Part !== undefined) return <Part {...props} />;
  const words = loadingWords();
  if (failed !== true) return <p class={kind}>{words.loading}</p>;
  return (
    <div class={kind} role="alert">
      <p>{words.screenFailed}</p>
      <Button onClick={() => location.reload()}>{words.retry}</Button>
    </div>
  );
}
