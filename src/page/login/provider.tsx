import { Fault } from "../control/fault.js";
import { at } from "../state/place.js";
import { singleSignOnWords } from "../words/single-sign-on.js";

/** The button of a provider of logins; `outcome`: "refused" or "unavailable" where somebody comes from there and is not logged in. */
export function Provider({ label, outcome }: { readonly label: string; readonly outcome: string }) {
  const { logInWith, refused, unavailable } = singleSignOnWords();
  return (
    <>
      <a class="button" href={at("/api/session/oidc")}>
        {logInWith(label)}
      </a>
      <Fault text={outcome === "refused" ? refused : outcome === "unavailable" ? unavailable : ""} />
    </>
  );
}
