import { at } from "./place.js";

interface SendOptions {
  /** Gets the share that has left, 0 to 1. */
  readonly onPart: (part: number) => void;
  readonly signal: AbortSignal;
}

/** Sends a large file. Rejects with the recorder's sentence; empty: there was no answer. */
export function sendFile(path: string, file: File, { onPart, signal }: SendOptions): Promise<void> {
  // fetch does not report how much it has sent.
  const sending = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    sending.open("POST", at(path));
    sending.setRequestHeader("X-Requested-With", "nvrd-page");
    sending.setRequestHeader("Content-Type", "application/octet-stream");
    sending.upload.onprogress = ({ loaded, total }) => onPart(total > 0 ? loaded / total : 0);
    sending.onload = () => (sending.status < 300 ? resolve() : reject(new Error(sentenceOf(sending))));
    sending.onerror = () => reject(new Error(""));
    sending.onabort = () => resolve();
    signal.addEventListener("abort", () => sending.abort());
    sending.send(file);
  });
}

function sentenceOf({ responseText }: XMLHttpRequest): string {
  try {
    return (JSON.parse(responseText) as { ErrorMessage?: string }).ErrorMessage ?? "";
  } catch {
    return responseText.slice(0, 200);
  }
}
