import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { LoginWays } from "../../contract/answer/index.js";
import { Loaded } from "../control/loaded.js";
import { requestJson } from "../state/request.js";

const WAYS = "/api/session/ways";

/** The login at a provider, where there is one; and why nobody was logged in who comes from there. */
export function OtherWays() {
  const ways = useSignal<LoginWays | undefined>(undefined);
  const outcome = useSignal("");
  useEffect(() => {
    outcome.value = new URLSearchParams(location.search).get("login") ?? "";
    // It is said once: who loads the page again begins anew.
    if (outcome.value !== "") history.replaceState(history.state, "", location.pathname + location.hash);
    requestJson<LoginWays>(WAYS).then(
      (answer) => (ways.value = answer),
      (error: unknown) => console.warn("other ways to log in are not known", error),
    );
  }, []);
  const oidc = ways.value?.Oidc;
  return oidc == null ? null : (
    <Loaded load={provider} props={{ label: oidc.Label, outcome: outcome.value }} />
  );
}

const provider = async () => (await import("./provider.js")).Provider;
