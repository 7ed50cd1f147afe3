import { playbackWords } from "../../words/playback.js";

/** What the signs of the timeline mean. */
export function Legend() {
  const words = playbackWords();
  const signs = [
    ["recorded", words.recorded],
    ["away", words.away],
    ["motion", words.motion],
    ["event", words.event],
    ["fault", words.fault],
    ["protected", words.protected],
    ["sound", words.withSound],
  ] as const;
  return (
    <ul class="timeline-legend" aria-label={words.legend}>
      {signs.map(([name, text]) => (
        <li key={name}>
          <i class={`sign ${name}`} aria-hidden="true" />
          {text}
        </li>
      ))}
    </ul>
  );
}
