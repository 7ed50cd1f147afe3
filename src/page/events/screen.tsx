import { commonWords } from "../words/common.js";

export function EventsScreen() {
  return <h1>{commonWords().events}</h1>;
}
