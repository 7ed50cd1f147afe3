/** Words of files that are made on the recorder. */
export const words = {
  form: "Format",
  everywhere: "Plays everywhere",
  everywhereHint:
    "H.264 and AAC, for phones, televisions and messengers. The recorder makes it when it has time for it, one file after the other. What was not recorded takes no time in it.",
  recorded: "As recorded",
  recordedHint: "Each picture as the camera sent it: for evidence.",
  soundForPhones: "Sound that phones play (AAC instead of G.711)",
  tooLarge: "It is too large for the recorder's own disk: it is saved as recorded, sound included.",
};
