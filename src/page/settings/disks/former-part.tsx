import { useSignal } from "@preact/signals";
import type { FormerCamera } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { say, sayError } from "../../control/notice.js";
import { channels } from "../../state/channels.js";
import { sizeText } from "../../state/figures.js";
import {
  deleteFormerCamera,
  formerCameras,
  formerName,
  giveRecordings,
  readFormerCameras,
} from "../../state/former.js";
import { useRead } from "../../state/reading.js";
import { open } from "../../state/route.js";
import { formerWords } from "../../words/former.js";
import { dayText } from "./disk-words.js";
import { GiveDialog, SetUpDialog } from "./former-dialogs.js";
import { SureDialog } from "./sure-dialog.js";

/** What is asked about one of them. */
interface Asked {
  readonly what: "delete" | "give" | "setUp";
  readonly camera: FormerCamera;
}

/** Cameras that were removed, or that another recorder recorded; nothing where there are none. */
export function FormerPart() {
  const words = formerWords();
  const asked = useSignal<Asked | undefined>(undefined);
  useRead(readFormerCameras, sayError);
  const found = formerCameras.value;
  if (found.length === 0) return null;
  const close = (): void => {
    asked.value = undefined;
  };
  return (
    <section class="card" aria-label={words.title}>
      <h3>{words.title}</h3>
      <p>{words.why}</p>
      <ul class="reach-list" aria-label={words.title}>
        {found.map((camera) => (
          <FormerRow key={camera.Id} camera={camera} onAsk={(what) => (asked.value = { what, camera })} />
        ))}
      </ul>
      {asked.value?.what === "delete" && <DeleteDialog camera={asked.value.camera} onClose={close} />}
      {asked.value?.what === "give" && <GiveDialog camera={asked.value.camera} onClose={close} />}
      {asked.value?.what === "setUp" && <SetUpDialog camera={asked.value.camera} onClose={close} />}
    </section>
  );
}

interface FormerRowProps {
  readonly camera: FormerCamera;
  readonly onAsk: (what: Asked["what"]) => void;
}

function FormerRow({ camera, onAsk }: FormerRowProps) {
  const words = formerWords();
  const { FromTime, ToTime, RecordedBytes, IsAway, ProtectedTimes, GivenTo } = camera;
  return (
    <li>
      <p class="reach-name">
        <span>{formerName(camera, words.nameless)}</span>
        {RecordedBytes !== null && <strong>{sizeText(RecordedBytes)}</strong>}
      </p>
      <p>{words.times(dayText(FromTime), dayText(ToTime))}</p>
      {IsAway && <p class="hint">{words.isAway}</p>}
      {ProtectedTimes > 0 && <p class="hint">{words.protectedTimes}</p>}
      {GivenTo === null ? (
        <OwnActs camera={camera} onAsk={onAsk} />
      ) : (
        <GivenActs camera={camera} channel={GivenTo} />
      )}
    </li>
  );
}

function OwnActs({ camera, onAsk }: FormerRowProps) {
  const words = formerWords();
  const { Id, FromTime, ProtectedTimes } = camera;
  const name = formerName(camera, words.nameless);
  return (
    <div class="edit-buttons">
      <Button label={`${words.watch}: ${name}`} onClick={() => watch(Id, FromTime)}>
        {words.watch}
      </Button>
      <Button label={`${words.give}: ${name}`} onClick={() => onAsk("give")}>
        {words.give}
      </Button>
      <Button label={`${words.setUp}: ${name}`} onClick={() => onAsk("setUp")}>
        {words.setUp}
      </Button>
      <Button
        disabled={ProtectedTimes > 0}
        label={`${words.remove}: ${name}`}
        onClick={() => onAsk("delete")}
      >
        {words.remove}
      </Button>
    </div>
  );
}

/** Another camera has the recordings. */
function GivenActs({ camera, channel }: { readonly camera: FormerCamera; readonly channel: string }) {
  const words = formerWords();
  const { Id, FromTime } = camera;
  const name = formerName(camera, words.nameless);
  const owner = channels.value?.find((one) => one.Id === channel)?.Name ?? channel;
  const takeBack = async (): Promise<void> => {
    await giveRecordings(Id, null);
    say(words.tookBack(name));
  };
  return (
    <>
      <p>{words.givenTo(owner)}</p>
      <div class="edit-buttons">
        <Button label={`${words.watch}: ${name}`} onClick={() => watch(channel, FromTime)}>
          {words.watch}
        </Button>
        <Button label={`${words.takeBack}: ${name}`} onClick={() => void takeBack().catch(sayError)}>
          {words.takeBack}
        </Button>
      </div>
    </>
  );
}

function watch(channel: string, fromTime: string): void {
  open("playback", { channel, time: String(Date.parse(fromTime)) });
}

function DeleteDialog({ camera, onClose }: { readonly camera: FormerCamera; readonly onClose: () => void }) {
  const words = formerWords();
  const remove = (): void => {
    onClose();
    deleteFormerCamera(camera.Id).catch(sayError);
  };
  return (
    <SureDialog
      title={words.removeTitle(formerName(camera, words.nameless))}
      text={camera.IsAway ? words.removeAwayText : words.removeText}
      sure={words.removeSure}
      act={words.remove}
      onAct={remove}
      onClose={onClose}
    />
  );
}
