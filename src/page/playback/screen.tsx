import { commonWords } from "../words/common.js";

export function PlaybackScreen() {
  return <h1>{commonWords().playback}</h1>;
}
