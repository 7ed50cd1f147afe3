import type { StreamHealth } from "../../../contract/answer/index.js";
import { locale } from "../../state/locale.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { healthOf, pictureOf, rateOf } from "./health.js";
import { LastPicture } from "./last-picture.js";
import type { Camera } from "./model.js";

const BITS_PER_MBIT = 1_000_000;

/** What a camera sends now: its picture, and each stream as it comes. */
export function StreamTable({ camera: { Id, Name } }: { readonly camera: Camera }) {
  const words = camerasWords();
  const health = healthOf(Id);
  return (
    <div class="card camera-now">
      <LastPicture id={Id} name={Name} kind={pictureOf(Id)} />
      <table class="stream-table">
        <caption>{words.sends}</caption>
        <thead>
          <tr>
            <th scope="col">{words.stream}</th>
            <th scope="col">{words.codec}</th>
            <th scope="col">{words.size}</th>
            <th scope="col">{words.rate}</th>
          </tr>
        </thead>
        <tbody>
          {(health?.Streams ?? []).map((stream) => (
            <StreamRow key={stream.StreamType} id={Id} stream={stream} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function StreamRow({ id, stream }: { readonly id: string; readonly stream: StreamHealth }) {
  const words = camerasWords();
  const { StreamType, Codec, Width, Height } = stream;
  return (
    <tr>
      <th scope="row">{words.streams[StreamType]}</th>
      <td>{Codec ?? words.notSeen}</td>
      <td>{Width === null || Height === null ? words.notSeen : `${Width} × ${Height}`}</td>
      <td>{stateWords(id, stream)}</td>
    </tr>
  );
}

function stateWords(id: string, stream: StreamHealth): string {
  const words = camerasWords();
  if (stream.State === "active") return rateWords(id, stream);
  return stream.State === "waiting" ? words.states.waiting : words.streamStates[stream.State];
}

/** As counted between two looks. */
function rateWords(id: string, { StreamType }: StreamHealth): string {
  const words = camerasWords();
  const rate = rateOf(id, StreamType);
  if (rate === undefined) return words.measuring;
  const number = (value: number, digits: number): string =>
    new Intl.NumberFormat(locale.value, { maximumFractionDigits: digits }).format(value);
  const mbit = rate.bitsPerSecond / BITS_PER_MBIT;
  return words.rateIs(number(mbit, mbit < 1 ? 2 : 1), number(rate.perSecond, 0));
}
