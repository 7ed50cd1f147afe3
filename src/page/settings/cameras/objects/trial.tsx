import { useSignal } from "@preact/signals";
import type { ObjectTrialAnswer } from "../../../../contract/answer/index.js";
import { Button } from "../../../control/button.js";
import { errorWords } from "../../../control/notice.js";
import { titleOf } from "../../../playback/motion/finding-title.js";
import { timeWords } from "../../../playback/time/format.js";
import { addressOf as apiAddressOf } from "../../../state/address.js";
import { at } from "../../../state/place.js";
import { requestJson } from "../../../state/request.js";
import { addressOf } from "../../../state/route.js";
import { camerasWords } from "../../../words/settings/cameras.js";
import type { Camera } from "../model.js";

import "./lines.css";

const PICTURE_SIZE = 160;
/** Shown at once; the number says how many there are. */
const SHOWN_MAX = 24;
/** So long before it is seen its recording is played from. */
const BEFORE_MS = 3000;

interface TrialProps {
  readonly camera: Camera;
  /** What is tried, as the recorder takes it; the rest is as it is saved. */
  readonly body: () => object;
  /** What is wrong with it; undefined: nothing. */
  readonly fault: () => string | undefined;
}

/** What is drawn and chosen now, tried on what the recorder saw in the last hour, before it is saved. */
export function Trial({ camera, body, fault }: TrialProps) {
  const { objects } = camerasWords();
  const answer = useSignal<ObjectTrialAnswer | undefined>(undefined);
  const problem = useSignal("");
  const isAsked = useSignal(false);
  async function ask(): Promise<void> {
    problem.value = fault() ?? "";
    if (problem.value !== "" || isAsked.value) return;
    isAsked.value = true;
    try {
      const path = `/api/channels/${camera.Id}/objects/trial`;
      answer.value = await requestJson<ObjectTrialAnswer>(path, { method: "POST", body: body() });
    } catch (error) {
      problem.value = errorWords(error);
    } finally {
      isAsked.value = false;
    }
  }
  return (
    <section aria-label={objects.trial}>
      <p class="hint">{objects.trialHint}</p>
      <Button disabled={isAsked.value} onClick={() => void ask()}>
        {objects.tryIt}
      </Button>
      <p role="status">{problem.value === "" ? summary(answer.value) : problem.value}</p>
      {answer.value !== undefined && <Found channel={camera.Id} found={answer.value.Found} />}
    </section>
  );
}

function summary(answer: ObjectTrialAnswer | undefined): string {
  const { objects } = camerasWords();
  if (answer === undefined) return "";
  return objects.tried(answer.Found.length, answer.Seen);
}

type FoundThings = ObjectTrialAnswer["Found"];

function Found({ channel, found }: { readonly channel: string; readonly found: FoundThings }) {
  return (
    <ul class="tried-list">
      {found.slice(0, SHOWN_MAX).map(({ Finding, Acts }) => {
        const begin = Date.parse(Finding.Begin);
        const picture = apiAddressOf(
          "/api/findings/{id}/picture",
          { size: PICTURE_SIZE, optional: true },
          Finding.Id,
        );
        return (
          <li key={Finding.Id}>
            <a href={addressOf("playback", { channel, time: `${begin - BEFORE_MS}`, play: "1" })}>
              <img src={at(picture)} alt="" loading="lazy" />
              <span>
                {titleOf(Finding)} · {timeWords(begin, "second")}
              </span>
              <span class="soft">{[...new Set(Acts.map(actWords))].join(", ")}</span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

function actWords({ Kind, Name, Direction }: FoundThings[number]["Acts"][number]): string {
  const { acts } = camerasWords().objects;
  if (Kind === "lineCrossed") return acts.lineCrossed(Name, Direction ?? "leftToRight");
  if (Kind === "zoneEntered" || Kind === "zoneLeft") return acts[Kind](Name);
  return acts.loitering(Name);
}
