/** Outlines of the page's icons in a square of 24. Drawn for this page. */
const PATHS = {
  live: "M3 5h18v12H3zM8 21h8M12 17v4",
  playback: "M12 4a8 8 0 1 1-7.4 5M4 4v5h5M12 8v4l3 2",
  review: "M4 5h10v7H4zM17 6h3M17 10h3M4 16h10M4 20h7M17 17l2 2 3-4",
  events: "M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4",
  settings: "M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4M4 12h1M9 12h11M7 10v4",
  account: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21a8 8 0 0 1 16 0",
  keys: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8",
  close: "M6 6l12 12M18 6L6 18",
  play: "M7 4l13 8-13 8z",
  pause: "M7 5v14M17 5v14",
  stepForwards: "M6 5l9 7-9 7zM18 5v14",
  stepBackwards: "M18 5l-9 7 9 7zM6 5v14",
  soundOn: "M4 9v6h4l5 4V5L8 9zM17 8a6 6 0 0 1 0 8",
  soundOff: "M4 9v6h4l5 4V5L8 9zM17 9l4 6M21 9l-4 6",
  full: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  still: "M4 8h4l2-3h4l2 3h4v11H4zM12 17a4 4 0 1 0 0-8 4 4 0 0 0 0 8z",
  grid: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  move: "M12 3v18M3 12h18M12 3l-3 3M12 3l3 3M12 21l-3-3M12 21l3-3M3 12l3-3M3 12l3 3M21 12l-3-3M21 12l-3 3",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5",
  lock: "M6 11h12v9H6zM8 11V8a4 4 0 0 1 8 0v3",
  download: "M12 4v11M7 11l5 5 5-5M4 20h16",
  calendar: "M4 6h16v14H4zM4 10h16M8 3v4M16 3v4",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  back: "M15 5l-7 7 7 7",
  forward: "M9 5l7 7-7 7",
  edit: "M4 20l1-5L16 4l4 4L9 19zM13 7l4 4",
  add: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  talk: "M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM6 11a6 6 0 0 0 12 0M12 17v4",
  best: "M3 6h18v12H3zM7 9v6M7 12h3.5M10.5 9v6M14 9v6h1.5a3 3 0 0 0 0-6z",
  enlarge: "M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7",
  shrink: "M20 10h-6V4M14 10l6-6M4 14h6v6M10 14l-6 6",
  cameras: "M4 7h11v10H4zM15 11l5-3v8l-5-3",
  noPicture: "M4 7h8M15 10v7H4V7M15 11l5-3v8l-3-1.8M3 3l18 18",
  slow: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 3",
  arrowUp: "M5 15l7-7 7 7",
  arrowDown: "M5 9l7 7 7-7",
  reverse: "M17 4L4 12l13 8z",
  nextEvent: "M4 5l7 7-7 7M17 8l4 4-4 4-4-4z",
  previousEvent: "M20 5l-7 7 7 7M7 8l4 4-4 4-4-4z",
  motion: "M4 12h4M3 7h6M3 17h6M15 5a2 2 0 1 0 .01 0M12 21l2-6-3-3 2-4 4 3h3M14 15l4 2v4",
  info: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5M12 8h.01",
  recorder: "M4 7h16v10H4zM8 12h.01M13 12h3",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  devices: "M3 12h6l8-5M17 12h4M6 17h.01M18 17h.01",
  folder: "M3 6h6l2 3h10v10H3z",
  rotate: "M4 12a8 8 0 0 1 14-5.3M20 12a8 8 0 0 1-14 5.3M18 2v5h-5M6 22v-5h5",
  undo: "M9 6L4 11l5 5M4 11h10a6 6 0 0 1 0 12",
  warning: "M12 4l9 16H3zM12 10v4M12 17h.01",
} as const;

export type IconName = keyof typeof PATHS;

/** A decoration: the control around it has the name. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
