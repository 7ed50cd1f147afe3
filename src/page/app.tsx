import { type ComponentType, render } from "preact";
import { followKeys, KeyList } from "./control/keys.js";
import { Loaded } from "./control/loaded.js";
import { Notices } from "./control/notice.js";
import { FirstPassword } from "./login/first-password.js";
import { Login } from "./login/login.js";
import { Shell } from "./shell.js";
import { followPreferences } from "./state/preferences.js";
import { followAddress, route, type ScreenName } from "./state/route.js";
import { readSession, session } from "./state/session.js";
import { commonWords } from "./words/common.js";

/** Starts the page in a document. */
export function startPage(document: Document): void {
  followPreferences(document);
  followAddress(window);
  followKeys(document);
  void readSession();
  render(<App />, document.body);
}

function App() {
  const who = session.value;
  return (
    <>
      {who === undefined && <p class="entrance">{commonWords().loading}</p>}
      {who === null && <Login />}
      {who?.MustChangePassword === true && <FirstPassword />}
      {who?.MustChangePassword === false && (
        <Shell who={who}>
          <Loaded key={route.value.screen} load={SCREEN_FILES[route.value.screen]} />
        </Shell>
      )}
      <KeyList />
      <Notices />
    </>
  );
}

/** Each screen is a file of its own, fetched when it is opened first. */
const SCREEN_FILES: Readonly<Record<ScreenName, () => Promise<ComponentType>>> = {
  wall: async () => (await import("./wall/screen.js")).WallScreen,
  playback: async () => (await import("./playback/screen.js")).PlaybackScreen,
  events: async () => (await import("./events/screen.js")).EventsScreen,
  settings: async () => (await import("./settings/screen.js")).SettingsScreen,
  account: async () => (await import("./account/screen.js")).AccountScreen,
};
