import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { IconButton } from "./control/button.js";
import { Icon, type IconName } from "./control/icon.js";
import { openKeyList } from "./control/keys.js";
import { sayError } from "./control/notice.js";
import { readChannels } from "./state/channels.js";
import { hubAddress } from "./state/place.js";
import { followQuiet, quietSinceMs } from "./state/quiet.js";
import { RequestError, reachable } from "./state/request.js";
import { addressOf, route, type ScreenName } from "./state/route.js";
import type { Session } from "./state/session.js";
import { commonWords } from "./words/common.js";

/** Screens with a way in the frame; the first run has a frame of its own. */
type FramedScreen = Exclude<ScreenName, "setup">;

const ICONS: Readonly<Record<FramedScreen, IconName>> = {
  wall: "live",
  playback: "playback",
  review: "review",
  events: "events",
  recorders: "recorder",
  settings: "settings",
  account: "account",
};

/** Settings are for administrators, and a list of recorders is where there are many. */
function screensFor({ IsAdministrator, IsBucket, IsHub }: Session): readonly FramedScreen[] {
  const all = Object.keys(ICONS) as FramedScreen[];
  return all.filter((name) => {
    if (name === "settings") return IsAdministrator;
    // Recordings from a bucket have no live video.
    return name === "recorders" ? IsHub : !IsBucket || name !== "wall";
  });
}

/** How often the channels are asked for again: cameras come and go, and rights change. */
const CHANNELS_MS = 30_000;
/** While the recorder does not answer, it is asked more often: the page goes on as soon as it does. */
const GONE_MS = 2000;

interface ShellProps {
  readonly who: Session;
  readonly children: ComponentChildren;
}

/** The frame around each screen: the way to the others, and a word when the recorder does not answer. */
export function Shell({ who, children }: ShellProps) {
  const words = commonWords();
  const read = (): void => void readChannels().catch(sayRefusal);
  useEffect(() => {
    read();
    const timer = setInterval(read, CHANNELS_MS);
    return () => clearInterval(timer);
  }, [who.Login]);
  const { screen } = route.value;
  const hub = hubAddress();
  const title = `${screen === "setup" ? "" : `${words[screen]} · `}${who.ServerName}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(followQuiet, []);
  const isThere = reachable.value;
  useEffect(() => {
    if (isThere) return undefined;
    const timer = setInterval(read, GONE_MS);
    return () => clearInterval(timer);
  }, [isThere]);
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
          {hub !== undefined && (
            <li>
              <a href={hub}>
                <Icon name="back" />
                <span>{words.allRecorders}</span>
              </a>
            </li>
          )}
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
        {(!reachable.value || quietSinceMs.value !== undefined) && (
          <p class="banner" role="alert">
            {words.offline}
          </p>
        )}
        {children}
      </main>
    </div>
  );
}

/** That the recorder does not answer is said by the frame itself, for as long as it lasts. */
function sayRefusal(error: unknown): void {
  if (!(error instanceof RequestError && error.status === 0)) sayError(error);
}
