import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../control/button.js";
import { sayError } from "../../control/notice.js";
import { networkWords } from "../../words/settings/network.js";
import { followTrial } from "./follow-trial.js";
import { confirmingPage, type KeptTrial, type TrialEnd } from "./kept-trial.js";
import { endTrial, readNetwork } from "./model.js";

/** A confirmation is shown so long before the page goes to the new address. */
const MOVE_MS = 4000;

/** The trial of this page: how long it still lasts, and where the box is looked for. */
export function TrialPanel({ trial }: { readonly trial: KeptTrial }) {
  const words = networkWords();
  const left = useSignal(secondsLeft(trial));
  useEffect(() => {
    const ended = new AbortController();
    followTrial(trial, ended.signal).catch(sayError);
    const timer = setInterval(() => (left.value = secondsLeft(trial)), 1000);
    return () => {
      ended.abort();
      clearInterval(timer);
    };
  }, [trial.token]);
  return (
    <section class="card trial-panel" aria-label={words.trial(trial.name)}>
      <h3>{words.trial(trial.name)}</h3>
      <p role="timer">{left.value > 0 ? words.trialLeft(left.value) : words.waiting}</p>
      <ul>
        {trial.origins.map((origin) => (
          <li key={origin}>
            <a href={confirmingPage(origin, trial)}>{origin}</a>
          </li>
        ))}
      </ul>
      <p class="hint">{location.protocol === "https:" ? words.secure : words.trialOpen}</p>
      <div>
        <Button onClick={() => void endTrial().catch(sayError)}>{words.goBack}</Button>
      </div>
    </section>
  );
}

function secondsLeft({ endsMs }: KeptTrial): number {
  return Math.max(0, Math.round((endsMs - Date.now()) / 1000));
}

/** How the trial has ended; goes on at the new address. */
export function TrialEndPanel({ end }: { readonly end: TrialEnd }) {
  const words = networkWords();
  const elsewhere = "origin" in end && end.origin !== location.origin ? end.origin : undefined;
  useEffect(() => {
    if (elsewhere === undefined) void readNetwork().catch(sayError);
    if (elsewhere === undefined) return undefined;
    const timer = setTimeout(() => location.assign(`${elsewhere}/${location.hash}`), MOVE_MS);
    return () => clearTimeout(timer);
  }, [elsewhere]);
  return (
    <section class="card trial-panel" role="status">
      <p>{endWords(end, elsewhere)}</p>
      {elsewhere !== undefined && (
        <p>
          {words.opening} <a href={`${elsewhere}/${location.hash}`}>{words.open(elsewhere)}</a>
        </p>
      )}
    </section>
  );
}

function endWords(end: TrialEnd, elsewhere: string | undefined): string {
  const words = networkWords();
  if ("origin" in end) return elsewhere === undefined ? words.confirmedHere : words.confirmed(elsewhere);
  return end.reason === null ? words.back : words.backWhy(end.reason);
}
