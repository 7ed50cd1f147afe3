import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { IconButton } from "../../control/button.js";
import { Icon } from "../../control/icon.js";
import { Loaded } from "../../control/loaded.js";
import { arrowsWithin } from "../../control/toolbar.js";
import type { Channel } from "../../state/channels.js";
import { wallWords } from "../../words/wall.js";
import { WALL_PARTS } from "../parts.js";
import { canTalk, hold, talking } from "../talk/talk.js";
import { selected } from "../wall-state.js";
import type { LivePicture } from "./live-picture.js";
import { tileActions } from "./tile-actions.js";

interface TileControlsProps {
  readonly index: number;
  readonly channel: Channel;
  readonly picture: LivePicture;
  readonly video: RefObject<HTMLVideoElement | null>;
}

/**
 * What can be done with one camera of the wall. Seen on the chosen tile and the one below the pointer; by keys it is one stop of
 * Tab after the chosen tile, with arrows within.
 */
export function TileControls({ index, channel, picture, video }: TileControlsProps) {
  const words = wallWords();
  const menuIsOpen = useSignal(false);
  const actions = tileActions({ index, channel, picture, video: () => video.current });
  const shown = actions.filter(({ isInMenu }) => isInMenu !== true);
  const last = shown.at(-1);
  const tabIndex = (isFirst: boolean): number => (isFirst && selected.value === index ? 0 : -1);
  useEffect(() => {
    if (selected.value !== index) menuIsOpen.value = false;
  }, [selected.value]);
  return (
    <div
      class="tile-controls"
      role="toolbar"
      aria-label={words.controls(channel.Name)}
      onKeyDown={arrowsWithin}
    >
      {shown.slice(0, -1).map(({ act, ...action }, at) => (
        <IconButton key={action.shortcut} {...action} tabIndex={tabIndex(at === 0)} onClick={act} />
      ))}
      {canTalk(channel) && <TalkButton channel={channel} />}
      <IconButton
        icon="more"
        label={words.more(channel.Name)}
        expanded={menuIsOpen.value}
        tabIndex={tabIndex(shown.length < 2)}
        onClick={() => (menuIsOpen.value = !menuIsOpen.value)}
      />
      {last !== undefined && (
        <IconButton
          {...{ icon: last.icon, label: last.label, shortcut: last.shortcut }}
          tabIndex={-1}
          onClick={last.act}
        />
      )}
      {menuIsOpen.value && (
        <Loaded
          load={WALL_PARTS.tileMenu}
          props={{ label: words.more(channel.Name), actions, onClose: () => (menuIsOpen.value = false) }}
        />
      )}
    </div>
  );
}

/** Speaks while it is held, by a pointer or by Space and Enter. */
function TalkButton({ channel }: { readonly channel: Channel }) {
  const { name } = wallWords().talk;
  return (
    <button
      type="button"
      class="icon-button tile-talk-button"
      tabIndex={-1}
      aria-label={name}
      title={`${name} (T)`}
      aria-pressed={talking.value?.channel === channel.Id}
      aria-keyshortcuts="T"
      onPointerDown={() => void hold(channel)}
      onKeyDown={(event) => {
        if (event.key !== " " && event.key !== "Enter") return;
        event.preventDefault();
        if (!event.repeat) void hold(channel);
      }}
      onContextMenu={(event) => event.preventDefault()}
    >
      <Icon name="talk" />
    </button>
  );
}
