import { commonWords } from "../words/common.js";

export function WallScreen() {
  return <h1>{commonWords().wall}</h1>;
}
