import { useSignal } from "@preact/signals";
import { type ComponentType, render } from "preact";
import { useEffect } from "preact/hooks";
import { Button } from "./control/button.js";
import { followKeys, KeyList } from "./control/keys.js";
import { Notices } from "./control/notice.js";
import { FirstPassword } from "./login/first-password.js";
import { Login } from "./login/login.js";
import { Shell } from "./shell.js";
import { followPreferences } from "./state/preferences.js";
import { reachable } from "./state/request.js";
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
          <Screen key={route.value.screen} name={route.value.screen} />
        </Shell>
      )}
      <KeyList />
      <Notices />
    </>
  );
}

/** When the first screen is there, the others' files are fetched. */
const REST_MS = 2000;

/** Each screen is a file of its own, fetched when it is opened first. */
const SCREEN_FILES: Readonly<Record<ScreenName, () => Promise<ComponentType>>> = {
  wall: async () => (await import("./wall/screen.js")).WallScreen,
  playback: async () => (await import("./playback/screen.js")).PlaybackScreen,
  events: async () => (await import("./events/screen.js")).EventsScreen,
  account: async () => (await import("./account/screen.js")).AccountScreen,
};

/** Has all screens' files here before the recorder is gone: a browser may not ask twice for one that it could not get. */
function fetchScreens(): void {
  for (const fetchScreen of Object.values(SCREEN_FILES))
    fetchScreen().catch((error: unknown) => console.warn("a screen's file is fetched later", error));
}

function Screen({ name }: { readonly name: ScreenName }) {
  const loaded = useSignal<{ component?: ComponentType; failed?: boolean }>({});
  const load = (): void => {
    loaded.value = {};
    SCREEN_FILES[name]().then(
      (component) => (loaded.value = { component }),
      (error: unknown) => {
        console.warn("a screen's file cannot be fetched", error);
        loaded.value = { failed: true };
        // Is it the file alone, as after an update, or the recorder? The frame says the latter, and asks until it answers.
        void readSession();
      },
    );
  };
  useEffect(load, [name]);
  const isThere = reachable.value;
  useEffect(() => {
    if (isThere && loaded.peek().failed === true) load();
  }, [isThere]);
  useEffect(() => {
    const timer = setTimeout(fetchScreens, REST_MS);
    return () => clearTimeout(timer);
  }, []);
  const { component: Loaded, failed } = loaded.value;
  if (Loaded !== undefined) return <Loaded />;
  if (failed !== true) return <p class="quiet">{commonWords().loading}</p>;
  return (
    <div class="quiet" role="alert">
      <p>{commonWords().screenFailed}</p>
      <Button onClick={() => location.reload()}>{commonWords().retry}</Button>
    </div>
  );
}
