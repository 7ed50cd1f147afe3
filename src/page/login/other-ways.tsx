import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { LoginWays } from "../../contract/answer/index.js";
import { Fault } from "../control/fault.js";
import { at } from "../state/place.js";
import { requestJson } from "../state/request.js";
import { singleSignOnWords } from "../words/single-sign-on.js";

const WAYS = "/api/session/ways";

/** The login at a provider, where there is one; and why nobody was logged in who comes from there. */
export function OtherWays() {
  const words = singleSignOnWords();
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
  if (oidc == null) return null;
  const { refused, unavailable } = words;
  return (
    <>
      <a class="button" href={at("/api/session/oidc")}>
        {words.logInWith(oidc.Label)}
      </a>
      <Fault
        text={outcome.value === "refused" ? refused : outcome.value === "unavailable" ? unavailable : ""}
      />
    </>
  );
}
