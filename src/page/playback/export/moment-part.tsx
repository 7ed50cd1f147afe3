import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { bookmark } from "../../../contract/index.js";
import { Button } from "../../control/button.js";
import { say, sayError } from "../../control/notice.js";
import { useWork } from "../../control/work.js";
import { pageAddress } from "../../state/place.js";
import { requestJson } from "../../state/request.js";
import { addressOf } from "../../state/route.js";
import { playbackWords } from "../../words/playback.js";
import { chosen, cursor, cursorSecond } from "../watch/model.js";

/** The moment that is shown: its link for others who use this recorder, and a name for it. */
export function MomentPart({ channels }: { readonly channels: readonly string[] }) {
  return (
    <section class="moment-link">
      <MomentLink />
      <BookmarkForm channels={channels} />
    </section>
  );
}

/** A name for the moment; it is then among the events of the cameras. */
function BookmarkForm({ channels }: { readonly channels: readonly string[] }) {
  const words = playbackWords();
  const name = useSignal("");
  const [isBusy, act] = useWork();
  const isOff = isBusy || channels.length === 0 || name.value.trim() === "";
  const keep = async (): Promise<void> => {
    const body = { Time: new Date(cursor.peek()).toISOString(), Name: name.peek().trim() };
    for (const id of channels) await requestJson(`/api/channels/${id}/bookmarks`, { method: "POST", body });
    say(words.bookmarkMade(body.Name));
    name.value = "";
  };
  return (
    <form
      class="own-reason"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isOff) void act(keep);
      }}
    >
      <input
        aria-label={words.bookmarkName}
        placeholder={words.bookmarkName}
        value={name.value}
        maxLength={bookmark.Name.max}
        onInput={(event) => (name.value = event.currentTarget.value)}
      />
      <Button type="submit" disabled={isOff}>
        {words.bookmark}
      </Button>
    </form>
  );
}

/** What somebody else opens to see the same; it stays as it is while it is in use. Only secure contexts have a clipboard. */
function MomentLink() {
  const words = playbackWords();
  const used = useSignal<string | undefined>(undefined);
  const link = used.value ?? linkNow();
  const field = useRef<HTMLInputElement>(null);
  const copy = (): void => {
    navigator.clipboard.writeText(link).then(() => say(words.copied), sayError);
  };
  return (
    <>
      <label class="field">
        <span>{words.momentLink}</span>
        <input
          ref={field}
          readOnly
          value={link}
          onFocus={() => {
            used.value = link;
            field.current?.select();
          }}
          onBlur={() => (used.value = undefined)}
        />
      </label>
      <p class="hint">{words.momentLinkHint}</p>
      {navigator.clipboard !== undefined && <Button onClick={copy}>{words.copy}</Button>}
    </>
  );
}

function linkNow(): string {
  const time = String(cursorSecond.value);
  return `${pageAddress()}${addressOf("playback", { channel: chosen.value.join(","), time })}`;
}
