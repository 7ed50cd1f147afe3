import { useEffect } from "preact/hooks";
import { sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { commonWords } from "../../words/common.js";
import { language } from "../../words/language.js";
import { systemWords } from "../../words/settings/system.js";
import { About } from "./about.js";
import { Graphs } from "./graphs.js";
import { Health } from "./health.js";
import { health, readHealth } from "./model.js";
import { Restart } from "./restart.js";

/** The state is read again so often. */
const READ_MS = 10_000;

/** How the recorder is, and what keeps it well. */
export function SystemSection() {
  const words = systemWords();
  useRead(readHealth, sayError, [language.value]);
  useEffect(() => {
    // That there is no answer is said by the frame.
    const timer = setInterval(() => void readHealth().catch(() => undefined), READ_MS);
    return () => clearInterval(timer);
  }, []);
  const state = health.value;
  return (
    <section class="settings-part">
      <h2>{words.title}</h2>
      {state === undefined ? (
        <p class="quiet">{commonWords().loading}</p>
      ) : (
        <>
          <Health state={state} />
          <About state={state} />
          <Graphs />
          <Restart />
        </>
      )}
    </section>
  );
}
