import { stillName } from "../moment.js";

const QUALITY = 0.92;
/** The browser has the address as long as it may need to read the picture. */
const ADDRESS_MS = 60_000;

/** Saves the picture that a video element shows, whole and in its own size. Rejects when there is none. */
export async function saveStill(video: HTMLVideoElement, camera: string, takenMs: number): Promise<string> {
  const { videoWidth: width, videoHeight: height } = video;
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  canvas.getContext("2d")?.drawImage(video, 0, 0);
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
  if (picture === null || width === 0) throw new Error("there is no picture");
  const name = stillName(camera, takenMs);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(picture);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), ADDRESS_MS);
  return name;
}
