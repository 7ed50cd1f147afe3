import { Button } from "../../control/button.js";
import { sayError } from "../../control/notice.js";
import { addressOf } from "../../state/address.js";
import { at } from "../../state/place.js";
import { recorderNow } from "../../state/recorder-time.js";
import { playbackWords } from "../../words/playback.js";
import { nearWords } from "../time/format.js";
import { playing } from "../watch/playing.js";
import { titleOf } from "./finding-title.js";
import { type Finding, findMore, thingSearch } from "./things.js";

/** What is gone to begins so much earlier, so that the thing is seen coming. */
const BEFORE_MS = 2000;

/** What an analyser found, the newest first. */
export function ThingResult() {
  const words = playbackWords();
  const search = thingSearch.value;
  if (search === undefined) return null;
  const { found, next, runs, isRead } = search;
  return (
    <section class="search-result">
      <p role="status">
        {runs && words.searchRuns}
        {!runs && found.length === 0 && (isRead ? words.foundNoThing : words.notRead)}
      </p>
      <ul>
        {found.map((finding) => (
          <li key={finding.Id}>
            <button
              type="button"
              class="link"
              onClick={() => playing.seek(Date.parse(finding.Begin) - BEFORE_MS)}
            >
              <img src={pictureOf(finding)} alt="" loading="lazy" />
              {`${nearWords(Date.parse(finding.Begin), recorderNow())}, ${nameOf(finding)}`}
            </button>
          </li>
        ))}
      </ul>
      {next !== null && (
        <Button disabled={runs} onClick={() => void findMore().catch(sayError)}>
          {words.more}
        </Button>
      )}
    </section>
  );
}

function pictureOf({ Id }: Finding): string {
  return at(addressOf("/api/findings/{id}/picture", { optional: true }, Id));
}

function nameOf(finding: Finding): string {
  const { Score } = finding;
  return `${titleOf(finding)}${Score === null ? "" : `, ${Math.round(Score * 100)} %`}`;
}
