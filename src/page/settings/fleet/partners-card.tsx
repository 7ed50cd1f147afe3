import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { FleetPartner, FleetPartners, PartnerCodeAnswer } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { Field } from "../../control/field.js";
import { say, sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { useWork } from "../../control/work.js";
import { daysText } from "../../state/figures.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { markSaved } from "../../state/unsaved.js";
import { partnerWords } from "../../words/settings/partners.js";
import { momentText } from "./moment.js";
import { ReservesCard } from "./reserves-card.js";

const PARTNERS = "/api/fleet/partners";

/** Recorders of the LAN that stand by this one: the list, a code for another, a code of another. */
export function PartnersCard() {
  const words = partnerWords();
  const list = useSignal<FleetPartners | undefined>(undefined);
  const made = useSignal<PartnerCodeAnswer | undefined>(undefined);
  const looks = useSignal(0);
  useRead(
    async () => {
      list.value = await requestJson<FleetPartners>(PARTNERS);
    },
    sayError,
    [made.value, looks.value],
  );
  const join = async (Code: string): Promise<void> => {
    list.value = await requestJson<FleetPartners>(PARTNERS, { method: "POST", body: { Code } });
    say(words.joined);
  };
  const ask = async (path: string, method: "POST" | "DELETE", done: string): Promise<void> => {
    try {
      list.value = await requestJson<FleetPartners>(path, { method });
      say(done);
    } catch (error) {
      sayError(error);
    }
  };
  const makeCode = async (): Promise<void> => {
    try {
      made.value = await requestJson<PartnerCodeAnswer>(`${PARTNERS}/code`, { method: "POST" });
    } catch (error) {
      sayError(error);
    }
  };
  if (list.value === undefined) return null;
  const { Partners, Problem, StandIn } = list.value;
  return (
    <>
      <article class="card">
        <h3>{words.title}</h3>
        <p>{words.why}</p>
        {Problem !== null && <p class="fault">{words.portProblem(Problem)}</p>}
        {Partners.length === 0 && <p>{words.none}</p>}
        <ul>
          {Partners.map((partner) => (
            <li key={partner.Id} class="hub-box">
              <Partner partner={partner} />
              <RemoveButton
                words={words.remove}
                sure={words.removeSure}
                onRemove={() => ask(`${PARTNERS}/${partner.Id}`, "DELETE", words.removed)}
              />
            </li>
          ))}
        </ul>
        {StandIn !== null && <StandInText standIn={StandIn} />}
        <Button onClick={() => void makeCode()}>{words.make}</Button>
        {made.value !== undefined && (
          <>
            <p>{words.paste(momentText(made.value.UntilTime))}</p>
            <p>
              <code>{made.value.Code}</code>
            </p>
          </>
        )}
        <PasteForm onPaste={join} />
      </article>
      <ReservesCard partners={Partners} onChange={() => (looks.value += 1)} />
    </>
  );
}

/** What it would be to record the cameras of all others at once. */
function StandInText({ standIn }: { readonly standIn: NonNullable<FleetPartners["StandIn"]> }) {
  const words = partnerWords();
  const { Cameras, MegabitsPerSecond, DaysThen, ProcessorPercentThen, Limits } = standIn;
  if (MegabitsPerSecond === null) return null;
  return (
    <>
      <p>{words.standIn(Cameras, MegabitsPerSecond)}</p>
      {DaysThen !== null && ProcessorPercentThen !== null && (
        <p class={Limits.length === 0 ? "hint" : "fault"}>
          {words.standInThen(daysText(DaysThen), ProcessorPercentThen)}{" "}
          {Limits.map((limit) => words.standInLimits[limit]).join(" ")}
        </p>
      )}
    </>
  );
}

function PasteForm({ onPaste }: { readonly onPaste: (code: string) => Promise<void> }) {
  const words = partnerWords();
  const code = useSignal("");
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, act] = useWork();
  const paste = async (): Promise<void> => {
    await onPaste(code.peek().trim());
    code.value = "";
    markSaved(form.current);
  };
  return (
    <form
      ref={form}
      data-guarded=""
      onSubmit={(event) => {
        event.preventDefault();
        void act(paste);
      }}
    >
      <Field
        label={words.code}
        hint={words.codeHint}
        value={code.value}
        onValue={(value) => (code.value = value)}
        autocomplete="off"
        required
      />
      <Button kind="main" type="submit" disabled={isBusy}>
        {words.join}
      </Button>
    </form>
  );
}

function Partner({ partner }: { readonly partner: FleetPartner }) {
  const words = partnerWords();
  const { Name, Version, IsConnected, SinceTime, IsThroughHub, Problem, Owner, Reserve } = partner;
  const since = momentText(SinceTime);
  const why = Problem === null ? "" : words.problems[Problem];
  return (
    <>
      <p>
        <strong>{Name}</strong> <span class="hint">{Version}</span>
      </p>
      <p class={IsConnected ? "" : "fault"}>{IsConnected ? words.there(since) : words.silent(since, why)}</p>
      {IsThroughHub && <p>{words.throughHub}</p>}
      {Reserve !== null && (
        <p class={Reserve.Problem === null ? "" : "fault"}>
          {Reserve.Problem === null ? words.standsIn(Reserve.Cameras.length) : words.refuses(Reserve.Problem)}
        </p>
      )}
      {Owner !== null && Owner.SinceTime === null && <p>{words.keeps(Owner.Cameras.length)}</p>}
      {Owner !== null && Owner.SinceTime !== null && (
        <p class="fault">{words.records(Owner.Recorded.length, momentText(Owner.SinceTime))}</p>
      )}
    </>
  );
}
