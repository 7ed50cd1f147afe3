import { useSignal } from "@preact/signals";
import { ANNOUNCEMENT_NAME_LENGTH_MAX } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { Field } from "../../control/field.js";
import { FileButton } from "../../control/file-button.js";
import { errorWords, say, sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { useWork } from "../../control/work.js";
import { addressOf } from "../../state/address.js";
import type { Channel } from "../../state/channels.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { session } from "../../state/session.js";
import { followTask, startTask } from "../../state/tasks.js";
import { wallWords } from "../../words/wall.js";

/** As `GET /api/announcements` has it. */
export interface Announcement {
  readonly Id: string;
  readonly Name: string;
  readonly Seconds: number;
}

const PATH = "/api/announcements";

export function readAnnouncements(): Promise<readonly Announcement[]> {
  return requestJson<readonly Announcement[]>(PATH);
}

/** What can be played at a camera's loudspeaker; administrators add and remove it. */
export function Announcements({ channel: { Id, Name } }: { readonly channel: Channel }) {
  const words = wallWords().devices;
  const list = useSignal<readonly Announcement[] | undefined>(undefined);
  /** Of the announcement that is played. */
  const played = useSignal<string | undefined>(undefined);
  /** What became of each, as long as the dialog is open: notices are behind it. */
  const status = useSignal<Readonly<Record<string, string>>>({});
  const isAdministrator = session.value?.IsAdministrator === true;
  const read = async (): Promise<void> => {
    list.value = await readAnnouncements();
  };
  useRead(read, sayError);
  const showStatus = (one: Announcement, text: string, isError: boolean): void => {
    status.value = { ...status.value, [one.Id]: text };
    say(text, isError);
  };
  async function play(one: Announcement): Promise<void> {
    // A button that is disabled would lose the focus.
    if (played.peek() !== undefined) return;
    played.value = one.Id;
    try {
      const { Id: task } = await startTask("Announce", { ChannelId: Id, AnnouncementId: one.Id });
      await followTask(
        task,
        ({ State, Error: why }) => {
          if (State === "Done") showStatus(one, words.played(one.Name, Name), false);
          if (State === "Failed") showStatus(one, words.notPlayed(one.Name, why ?? ""), true);
        },
        new AbortController().signal,
      );
    } catch (error) {
      showStatus(one, errorWords(error), true);
    } finally {
      played.value = undefined;
    }
  }
  const remove = async (one: Announcement): Promise<void> => {
    await requestJson(`${PATH}/${one.Id}`, { method: "DELETE" });
    say(words.removedOne(one.Name));
    await read();
  };
  return (
    <section class="devices">
      <h3>{words.announcements}</h3>
      {list.value?.length === 0 && <p class="hint">{words.none}</p>}
      <ul aria-label={words.announcements}>
        {list.value?.map((one) => (
          <li key={one.Id}>
            <p>
              {one.Name}{" "}
              <span class="hint" role="status">
                {status.value[one.Id] ?? words.length(Math.max(1, Math.round(one.Seconds)))}
              </span>
            </p>
            <Button label={`${words.play}: ${one.Name}`} onClick={() => void play(one)}>
              {played.value === one.Id ? words.playing : words.play}
            </Button>
            {isAdministrator && (
              <RemoveButton
                words={words.remove(one.Name)}
                sure={words.removeSure(one.Name)}
                onRemove={() => remove(one).catch(sayError)}
              />
            )}
          </li>
        ))}
      </ul>
      {isAdministrator && <NewAnnouncement onAdded={read} />}
    </section>
  );
}

function NewAnnouncement({ onAdded }: { readonly onAdded: () => Promise<void> }) {
  const words = wallWords().devices;
  const name = useSignal("");
  const [isSending, act] = useWork();
  async function send(file: File): Promise<void> {
    const called = (name.value.trim() || file.name.replace(/\.\w+$/, "")).slice(
      0,
      ANNOUNCEMENT_NAME_LENGTH_MAX,
    );
    await requestJson(addressOf(PATH, { name: called }), {
      method: "POST",
      file,
      answerMs: Number.POSITIVE_INFINITY,
    });
    name.value = "";
    say(words.added(called));
    await onAdded();
  }
  return (
    <>
      <Field
        label={words.newName}
        hint={words.newNameHint}
        value={name.value}
        maxLength={ANNOUNCEMENT_NAME_LENGTH_MAX}
        autocomplete="off"
        onValue={(value) => (name.value = value)}
      />
      <FileButton
        label={isSending ? words.sending : words.addFile}
        accept=".wav,.aac"
        disabled={isSending}
        onFile={(file) => void act(() => send(file))}
      />
    </>
  );
}
