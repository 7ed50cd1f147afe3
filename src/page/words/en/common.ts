import { LOADING } from "../loading.js";

export const words = {
  ...LOADING.en,
  wall: "Live",
  playback: "Recordings",
  review: "Review",
  events: "Events",
  settings: "Settings",
  account: "Account",
  skip: "Skip to the content",
  navigation: "Main",
  close: "Close",
  cancel: "Cancel",
  save: "Save",
  remove: "Remove",
  show: "Show",
  undo: "Undo",
  offline: "The recorder does not answer. The page goes on by itself when it does.",
  unknownError: "Something went wrong in the recorder. Try again; if it stays, look at its log.",
  keys: "Keys",
  keysHint: "Keys of this page",
};
