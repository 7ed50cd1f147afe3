import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { IconButton } from "./control/button.js";
import { Icon, type IconName } from "./control/icon.js";
import { openKeyList } from "./control/keys.js";
import { sayError } from "./control/notice.js";
import { readChannels } from "./state/channels.js";
import { reachable } from "./state/request.js";
import { addressOf, route, SCREENS, type ScreenName } from "./state/route.js";
import type { Session } from "./state/session.js";
import { commonWords } from "./words/common.js";

const ICONS: Readonly<Record<ScreenName, IconName>> = {
  wall: "live",
  playback: "playback",
  events: "events",
  settings: "settings",
  account: "account",
};

/** Settings are for administrators. */
function screensFor({ IsAdministrator }: Session): readonly ScreenName[] {
  return SCREENS.filter((name) => name !== "settings" || IsAdministrator);
}

/** How often the channels are asked for again: cameras come and go, and rights change. */
const CHANNELS_MS = 30_000;

interface ShellProps {
  readonly who: Session;
  readonly children: ComponentChildren;
}

/** The frame around each screen: the way to the others, and a word when the recorder does not answer. */
export function Shell({ who, children }: ShellProps) {
  const words = commonWords();
  useEffect(() => {
    const read = (): void => void readChannels().catch(sayError);
    read();
    const timer = setInterval(read, CHANNELS_MS);
    return () => clearInterval(timer);
  }, [who.Login]);
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.getElementById("content")?.focus()}>
        {words.skip}
      </button>
      <nav class="rail" aria-label={words.navigation}>
        <p class="box-name" title={who.ServerName}>
          {who.ServerName}
        </p>
        <ul>
          {screensFor(who).map((name) => (
            <li key={name}>
              <a href={addressOf(name)} aria-current={route.value.screen === name ? "page" : undefined}>
                <Icon name={ICONS[name]} />
                <span>{words[name]}</span>
              </a>
            </li>
          ))}
        </ul>
        <IconButton icon="keys" label={words.keys} shortcut="?" onClick={openKeyList} />
      </nav>
      <main class="content" id="content" tabIndex={-1}>
        {!reachable.value && (
          <p class="banner" role="alert">
            {words.offline}
          </p>
        )}
        {children}
      </main>
    </div>
  );
}
