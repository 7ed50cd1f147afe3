import { addressOf } from "../../state/address.js";
import { at } from "../../state/place.js";

/** Of pieces that were said before the camera listened, and are sent when it does: a second. */
const EARLY_MAX = 25;

interface SpeechMessage {
  readonly type: "listening" | "ended";
  readonly code?: string;
  readonly text?: string;
}

/**
 * Sends what the microphone hears to a camera until `released` is aborted; resolves when the camera has heard it, with whether it
 * listened at all. Rejects with an Error of the recorder's own sentence (none where it does not answer), and with DOMException where the browser gives no microphone.
 */
export async function speak(
  channel: string,
  released: AbortSignal,
  onListening: () => void,
): Promise<boolean> {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
  });
  const context = new AudioContext();
  const silence = (): void => {
    for (const track of stream.getTracks()) track.stop();
  };
  released.addEventListener("abort", silence);
  try {
    await context.audioWorklet.addModule(at("/page/microphone.js"));
    // Letting go to answer the browser's question is no speech.
    if (released.aborted) return false;
    const microphone = new AudioWorkletNode(context, "m", { numberOfOutputs: 0 });
    context.createMediaStreamSource(stream).connect(microphone);
    return await carry(channel, microphone.port, released, onListening);
  } finally {
    silence();
    await context.close();
  }
}

function carry(
  channel: string,
  pieces: MessagePort,
  released: AbortSignal,
  onListening: () => void,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const early: Uint8Array<ArrayBuffer>[] = [];
    let isListening = false;
    const origin = location.origin.replace("http", "ws");
    const socket = new WebSocket(
      origin + at(addressOf("/api/channels/{id}/talk", { opens: "atOnce" }, channel)),
      "nvrd.talk.1",
    );
    pieces.onmessage = ({ data }: MessageEvent<Uint8Array<ArrayBuffer>>) => {
      if (released.aborted) return;
      if (isListening) socket.send(data);
      else if (early.push(data) > EARLY_MAX) early.shift();
    };
    released.addEventListener("abort", () => {
      if (isListening) socket.send('{"type":"finish"}');
      else socket.close();
    });
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      const { type, code, text } = JSON.parse(data) as SpeechMessage;
      if (type === "listening") {
        isListening = true;
        onListening();
        for (const piece of early) socket.send(piece);
      } else if (code === undefined) resolve(true);
      else reject(new Error(text));
    };
    socket.onclose = () => {
      if (released.aborted) resolve(isListening);
      else reject(new Error());
    };
  });
}
