import { type ComponentType, render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { focusTitle } from "./control/focus-title.js";
import { followKeys, KeyList } from "./control/keys.js";
import { LeaveQuestion } from "./control/leave-question.js";
import { fetchPart, Loaded } from "./control/loaded.js";
import { Notices } from "./control/notice.js";
import { Login, LoginAgain } from "./login/login.js";
import { Shell } from "./shell.js";
import { followPreferences } from "./state/preferences.js";
import { followAddress, open, route, type ScreenName } from "./state/route.js";
import { asksAgain, isBucket, readSession, type Session, session } from "./state/session.js";
import { readSetup } from "./state/setup.js";
import { followUnsaved } from "./state/unsaved.js";
import { WALL_PARTS } from "./wall/parts.js";
import { WallScreen } from "./wall/screen.js";
import { commonWords } from "./words/common.js";

/** Starts the page in a document. */
export function startPage(document: Document): void {
  followPreferences(document);
  followUnsaved(window);
  followAddress(window);
  followKeys(document);
  void readSession();
  render(<Loaded load={loadApp} props={{}} kind="entrance" />, document.body);
}

/** What is shown first is in the file that starts the page; its words come in the chosen language. */
const loadApp = async (): Promise<ComponentType> => App;

function App() {
  const who = session.value;
  useEffect(() => followFirstRun(who), [who?.Login, who?.MustChangePassword]);
  const isFirstRun = who?.MustChangePassword === true || route.value.screen === "setup";
  return (
    <>
      {who === undefined && <p class="entrance">{commonWords().loading}</p>}
      {who === null && <Login />}
      {who != null && isFirstRun && <Loaded load={SCREEN_FILES.setup} props={{}} />}
      {who != null && !isFirstRun && (
        <Shell key={who.Login} who={who}>
          <Screens />
        </Shell>
      )}
      {asksAgain.value && <LoginAgain />}
      <LeaveQuestion />
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

/** Each screen but the wall is a file of its own, fetched when it is opened first. */
const SCREEN_FILES: Readonly<Record<ScreenName, () => Promise<ComponentType>>> = {
  wall: async () => WallScreen,
  playback: async () => (await import("./playback/screen.js")).PlaybackScreen,
  review: async () => (await import("./review/screen.js")).ReviewScreen,
  events: async () => (await import("./events/screen.js")).EventsScreen,
  recorders: async () => (await import("./recorders/screen.js")).RecordersScreen,
  settings: async () => (await import("./settings/screen.js")).SettingsScreen,
  account: async () => (await import("./account/screen.js")).AccountScreen,
  setup: async () => (await import("./setup/screen.js")).SetupScreen,
};

/** Has all that may be opened here before the recorder is gone: a browser may not ask twice for a file that it could not get. */
async function fetchScreens(): Promise<void> {
  const { settings, ...screens } = SCREEN_FILES;
  await fetchParts(WALL_PARTS);
  await fetchParts(screens);
  await fetchParts((await import("./playback/parts.js")).PLAYBACK_PARTS);
  if (session.peek()?.IsAdministrator !== true) return;
  await fetchParts({ settings });
  await fetchParts((await import("./settings/sections.js")).SECTIONS);
  await fetchParts((await import("./settings/cameras/parts.js")).CAMERAS_PARTS);
}

/** One after the other: what the shown screen asks for meanwhile comes between. */
async function fetchParts(parts: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  for (const load of Object.values(parts)) await fetchPart(load);
}

function Screens() {
  useEffect(() => {
    const timer = setTimeout(() => fetchScreens().catch(fetchedLater), REST_MS);
    return () => clearTimeout(timer);
  }, []);
  const asked = route.value.screen;
  const screen = asked === "wall" && isBucket() ? "playback" : asked;
  const former = useRef(screen);
  useEffect(() => {
    if (former.current === screen) return undefined;
    former.current = screen;
    const content = document.getElementById("content");
    return content === null ? undefined : focusTitle(content, "h1");
  }, [screen]);
  return <Loaded key={screen} load={SCREEN_FILES[screen]} props={{}} />;
}

const fetchedLater = (error: unknown): void =>
  console.warn("what a screen consists of is fetched later", error);
