import { playbackWords } from "../../words/playback.js";
import { Panel } from "../watch/panel.js";

export function MotionPanel() {
  return <Panel title={playbackWords().motionSearch}>{null}</Panel>;
}
