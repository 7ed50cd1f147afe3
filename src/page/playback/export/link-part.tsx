import { useSignal } from "@preact/signals";
import type { FileLinkMade, FileLinkObject, SavedFileObject } from "../../../contract/answer/index.js";
import { fileLink } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { Choice, PasswordField } from "../../control/field.js";
import { say, sayError } from "../../control/notice.js";
import { useWork } from "../../control/work.js";
import { at } from "../../state/place.js";
import { recorderNow } from "../../state/recorder-time.js";
import { requestJson } from "../../state/request.js";
import { commonWords } from "../../words/common.js";
import { linkWords } from "../../words/links.js";
import { playbackWords } from "../../words/playback.js";
import { nearWords } from "../time/format.js";
import { fileLinks, readFileLinks, takeLinkBack } from "./links.js";

const HOURS = ["1", "24", "72", "168"] as const;
type Hours = (typeof HOURS)[number];

/** The links to a file for people without a login, and the way to make one. */
export function LinkPart({ file }: { readonly file: SavedFileObject }) {
  const words = linkWords();
  const isMaking = useSignal(false);
  const made = useSignal<FileLinkMade | undefined>(undefined);
  const links = (fileLinks.value?.Links ?? []).filter(({ FileId }) => FileId === file.Id);
  return (
    <>
      {links.length > 0 && (
        <ul class="file-links" aria-label={words.linksTo(file.Name)}>
          {links.map((link) => (
            <LinkRow key={link.Id} link={link} />
          ))}
        </ul>
      )}
      {made.value !== undefined && links.some(({ Id }) => Id === made.value?.Id) && (
        <MadeLink link={made.value} />
      )}
      {isMaking.value ? (
        <LinkForm
          file={file}
          onMade={(link) => {
            made.value = link;
            isMaking.value = false;
          }}
          onClose={() => (isMaking.value = false)}
        />
      ) : (
        <div class="file-buttons">
          <Button label={`${words.make}: ${file.Name}`} onClick={() => (isMaking.value = true)}>
            {words.make}
          </Button>
        </div>
      )}
    </>
  );
}

function LinkRow({ link }: { readonly link: FileLinkObject }) {
  const words = linkWords();
  const [isBusy, act] = useWork();
  const until = nearWords(Date.parse(link.EndTime), recorderNow());
  const facts = [
    words.until(until),
    ...(link.HasPassword ? [words.withPassword] : []),
    link.Openings === 0 ? words.notOpened : words.opened(link.Openings),
  ];
  return (
    <li>
      <p class="hint">{facts.join(" · ")}</p>
      <Button
        disabled={isBusy}
        label={`${words.takeBack}: ${until}`}
        onClick={() => void act(() => takeLinkBack(link.Id))}
      >
        {words.takeBack}
      </Button>
    </li>
  );
}

/** The link itself, which nobody is shown again. Only secure contexts have a clipboard. */
function MadeLink({ link }: { readonly link: FileLinkMade }) {
  const words = linkWords();
  const address = new URL(at(link.Path), location.href).href;
  const copy = (): void => {
    navigator.clipboard.writeText(address).then(() => say(playbackWords().copied), sayError);
  };
  return (
    <div class="made-link" role="status">
      <label class="field">
        <span>{words.link}</span>
        <input readOnly value={address} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <p class="hint">{words.linkHint}</p>
      {navigator.clipboard !== undefined && <Button onClick={copy}>{playbackWords().copy}</Button>}
    </div>
  );
}

interface LinkFormProps {
  readonly file: SavedFileObject;
  readonly onMade: (link: FileLinkMade) => void;
  readonly onClose: () => void;
}

function LinkForm({ file, onMade, onClose }: LinkFormProps) {
  const words = linkWords();
  const hours = useSignal<Hours>("24");
  const password = useSignal("");
  const [isBusy, act] = useWork();
  const make = async (): Promise<void> => {
    const body = { Hours: Number(hours.peek()), Password: password.peek() };
    const link = await requestJson<FileLinkMade>(`/api/files/${file.Id}/links`, { method: "POST", body });
    await readFileLinks();
    onMade(link);
  };
  return (
    <form
      class="link-form"
      aria-label={words.make}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void act(make);
      }}
    >
      <p class="hint">{words.makeHint}</p>
      <Choice
        label={words.hours}
        value={hours.value}
        options={HOURS.map((value) => [value, words.lasts(Number(value))] as const)}
        onValue={(value) => (hours.value = value)}
      />
      <PasswordField
        label={words.password}
        text={password}
        autocomplete="new-password"
        maxLength={fileLink.Password.max}
        hint={words.passwordHint}
      />
      <div class="file-buttons">
        <Button type="submit" kind="main" disabled={isBusy}>
          {words.makeNow}
        </Button>
        <Button onClick={onClose}>{commonWords().cancel}</Button>
      </div>
    </form>
  );
}
