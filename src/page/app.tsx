import { type ComponentType, render } from "preact";
import { useEffect } from "preact/hooks";
import { followKeys, KeyList } from "./control/keys.js";
import { Loaded } from "./control/loaded.js";
import { Notices } from "./control/notice.js";
import { Login } from "./login/login.js";
import { Shell } from "./shell.js";
import { followPreferences } from "./state/preferences.js";
import { followAddress, open, route, type ScreenName } from "./state/route.js";
import { isBucket, readSession, type Session, session } from "./state/session.js";
import { readSetup } from "./state/setup.js";
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
  useEffect(() => followFirstRun(who), [who?.Login, who?.MustChangePassword]);
  const isFirstRun = who?.MustChangePassword === true || route.value.screen === "setup";
  return (
    <>
      {who === undefined && <p class="entrance">{commonWords().loading}</p>}
      {who === null && <Login />}
      {who != null && isFirstRun && <Loaded load={SCREEN_FILES.setup} />}
      {who != null && !isFirstRun && (
        <Shell who={who}>
          <Screens />
        </Shell>
      )}
      <KeyList />
      <Notices />
    </>
  );
}

/** When the first screen is there, the others' files are fetched. */
const REST_MS = 2000;

/** Who began the first run and did not finish it goes on with it; who asks for another screen gets that. */
function followFirstRun(who: Session | null | undefined): void {
  if (who?.IsAdministrator !== true || who.MustChangePassword || route.peek().screen !== "wall") return;
  const goOn = async (): Promise<void> => {
    if ((await readSetup()).Stage === "Going" && route.peek().screen === "wall") open("setup");
  };
  goOn().catch((error: unknown) => console.warn("how far the first run is cannot be read", error));
}

/** Each screen is a file of its own, fetched when it is opened first. */
const SCREEN_FILES: Readonly<Record<ScreenName, () => Promise<ComponentType>>> = {
  wall: async () => (await import("./wall/screen.js")).WallScreen,
  playback: async () => (await import("./playback/screen.js")).PlaybackScreen,
  events: async () => (await import("./events/screen.js")).EventsScreen,
  settings: async () => (await import("./settings/screen.js")).SettingsScreen,
  account: async () => (await import("./account/screen.js")).AccountScreen,
  setup: async () => (await import("./setup/screen.js")).SetupScreen,
};

/** Has all screens' files here before the recorder is gone: a browser may not ask twice for one that it could not get. */
function fetchScreens(): void {
  for (const fetchScreen of Object.values(SCREEN_FILES))
    fetchScreen().catch((error: unknown) => console.warn("a screen's file is fetched later", error));
}

function Screens() {
  useEffect(() => {
    const timer = setTimeout(fetchScreens, REST_MS);
    return () => clearTimeout(timer);
  }, []);
  const asked = route.value.screen;
  const screen = asked === "wall" && isBucket() ? "playback" : asked;
  return <Loaded key={screen} load={SCREEN_FILES[screen]} />;
}
