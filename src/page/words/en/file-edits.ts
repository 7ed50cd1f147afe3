/** Words of files that play everywhere: what is done to their pictures, and what is missing for them. */
export const words = {
  showTime: "Camera and time in the picture",
  together: (cameras: number) => `All ${cameras} cameras in one picture, without sound`,
  speed: "Time lapse",
  asFast: "No",
  faster: (times: number, length: string) => `${times} times as fast: ${length}`,
  lapse: (recorded: string, film: string) =>
    `${recorded} become ${film} at most, without sound. How large it gets is said as soon as it is being made.`,
  lack: {
    Codec:
      "This recorder cannot convert: FFmpeg's libraries are missing, or of another version. Whoever looks after it installs them: apt install --reinstall nvrd.",
    Encoder:
      "This recorder cannot convert pictures: FFmpeg's libraries were built without libx264. Those of the distribution have it: apt install --reinstall the package of libavcodec.",
  },
};
