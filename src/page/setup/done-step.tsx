import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ArchiveReach } from "../../contract/answer/index.js";
import { Button } from "../control/button.js";
import { sayError } from "../control/notice.js";
import { addressOf } from "../state/address.js";
import { channels, readChannels } from "../state/channels.js";
import { at } from "../state/place.js";
import { lastingSentence, readReach } from "../state/reach.js";
import { requestJson } from "../state/request.js";
import { finishSetup } from "../state/setup.js";
import { findingWords } from "../words/finding.js";
import { setupWords } from "../words/setup.js";

const LOOK_MS = 3000;
/** A picture in the browser's memory shows for so long before it is asked for again. */
const PICTURE_MS = 6000;
const PICTURE_WIDTH = 320;
/** More are too small to see anything; the wall shows the others. */
const PICTURES_MAX = 16;

/** What the step uses of `GET /api/health`. */
interface Health {
  readonly Cameras: { readonly List: readonly { readonly Id: string; readonly IsRecording: boolean }[] };
}

/** What is recorded, and how long it lasts: corrected as the cameras run. */
export function DoneStep({ onBack }: { readonly onBack: () => void }) {
  const words = setupWords();
  const health = useSignal<Health | undefined>(undefined);
  const reach = useSignal<ArchiveReach | undefined>(undefined);
  useEffect(() => {
    const look = (): void => {
      readChannels().catch(sayError);
      requestJson<Health>("/api/health").then((found) => (health.value = found), sayError);
      readReach().then((found) => (reach.value = found), sayError);
    };
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const cameras = channels.value ?? [];
  const list = health.value?.Cameras.List ?? [];
  const recorded = new Set(list.filter(({ IsRecording }) => IsRecording).map(({ Id }) => Id.toLowerCase()));
  return (
    <section class="setup-part">
      <h2>{words.doneTitle}</h2>
      {cameras.length === 0 ? (
        <p>{words.noneRecorded}</p>
      ) : (
        <>
          <p role="status">{words.recording(recorded.size, cameras.length)}</p>
          <p role="status">
            {reach.value === undefined ? "" : lastingSentence(reach.value)} {words.corrected}
          </p>
          <ul class="done-list">
            {cameras.slice(0, PICTURES_MAX).map(({ Id, Name }) => (
              <li key={Id}>
                {recorded.has(Id.toLowerCase()) ? (
                  <Picture id={Id} name={Name} />
                ) : (
                  <span class="found-picture" />
                )}
                <p class="found-name">{Name}</p>
                <p class="hint">
                  {recorded.has(Id.toLowerCase()) ? words.cameraRecorded : words.cameraNotRecorded}
                </p>
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="setup-buttons">
        <Button onClick={onBack}>{words.back}</Button>
        <Button kind="main" onClick={() => void finishSetup().catch(sayError)}>
          {words.openWall}
        </Button>
      </div>
    </section>
  );
}

/** What a camera shows now; a new picture every few seconds. */
function Picture({ id, name }: { readonly id: string; readonly name: string }) {
  const words = findingWords();
  const count = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => (count.value += 1), PICTURE_MS);
    return () => clearInterval(timer);
  }, []);
  const address = at(`${addressOf("/site", { channelid: id, resolutionx: PICTURE_WIDTH })}&n=${count.value}`);
  return <img class="found-picture" src={address} alt={words.picture(name)} />;
}
