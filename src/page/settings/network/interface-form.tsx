import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Ipv4Settings, Ipv6Settings, NetworkInterface } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { Dialog } from "../../control/dialog.js";
import { Choice, Field } from "../../control/field.js";
import { errorWords } from "../../control/notice.js";
import { leave, markSaved } from "../../state/unsaved.js";
import { commonWords } from "../../words/common.js";
import { networkWords } from "../../words/settings/network.js";
import { beginTrial } from "./kept-trial.js";
import { tryNetwork, wordsOf } from "./model.js";

interface InterfaceFormProps {
  readonly port: NetworkInterface;
  readonly boxName: string;
  readonly onClose: () => void;
}

/** The settings of one port; what is sent is tried, not kept. */
export function InterfaceForm({ port, boxName, onClose }: InterfaceFormProps) {
  const words = networkWords();
  const draft = useSignal(draftOf(port));
  const fault = useSignal("");
  const isSending = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  const set = (part: Partial<Draft>): void => {
    draft.value = { ...draft.value, ...part };
  };
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (isSending.value) return;
    fault.value = "";
    isSending.value = true;
    try {
      const trial = await tryNetwork(settingsOf(port.Name, draft.value));
      markSaved(form.current);
      beginTrial(trial, boxName);
    } catch (error) {
      fault.value = errorWords(error);
    } finally {
      isSending.value = false;
    }
  }
  return (
    <Dialog title={words.port(port.Name)} onClose={onClose}>
      <form ref={form} class="edit-form" data-guarded="" noValidate onSubmit={(event) => void submit(event)}>
        <AddressFields draft={draft.value} onDraft={set} />
        <Field
          label={words.dns}
          hint={words.serversHint}
          value={draft.value.dns}
          onValue={(dns) => set({ dns })}
        />
        <Field
          label={words.ntp}
          hint={words.serversHint}
          value={draft.value.ntp}
          onValue={(ntp) => set({ ntp })}
        />
        <p class={fault.value === "" ? "hint" : "fault"} role="alert">
          {isSending.value ? words.checking : fault.value}
        </p>
        <div class="edit-buttons">
          <Button type="submit" kind="main" disabled={isSending.value}>
            {words.tryIt}
          </Button>
          <Button onClick={() => leave(onClose, form.current ?? undefined)}>{commonWords().cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

interface Draft {
  readonly method4: Ipv4Settings["Method"];
  readonly address4: string;
  readonly gateway4: string;
  readonly method6: Ipv6Settings["Method"];
  readonly address6: string;
  readonly gateway6: string;
  readonly dns: string;
  readonly ntp: string;
}

interface AddressFieldsProps {
  readonly draft: Draft;
  readonly onDraft: (part: Partial<Draft>) => void;
}

function AddressFields({ draft, onDraft }: AddressFieldsProps) {
  const words = networkWords();
  const choices = <Name extends string>(names: Readonly<Record<Name, string>>) =>
    Object.entries(names) as [Name, string][];
  return (
    <>
      <Choice
        label={words.ipv4}
        value={draft.method4}
        options={choices(words.ipv4Methods)}
        onValue={(method4) => onDraft({ method4 })}
      />
      {draft.method4 === "Fixed" && (
        <>
          <Field
            label={words.address}
            hint={words.addressHint}
            value={draft.address4}
            onValue={(address4) => onDraft({ address4 })}
          />
          <Field
            label={words.gateway4}
            hint={words.gatewayHint}
            value={draft.gateway4}
            onValue={(gateway4) => onDraft({ gateway4 })}
          />
        </>
      )}
      <Choice
        label={words.ipv6}
        value={draft.method6}
        options={choices(words.ipv6Methods)}
        onValue={(method6) => onDraft({ method6 })}
      />
      {draft.method6 === "Fixed" && (
        <>
          <Field
            label={words.address6}
            hint={words.address6Hint}
            value={draft.address6}
            onValue={(address6) => onDraft({ address6 })}
          />
          <Field
            label={words.gateway6}
            hint={words.gatewayHint}
            value={draft.gateway6}
            onValue={(gateway6) => onDraft({ gateway6 })}
          />
        </>
      )}
    </>
  );
}

/** What was confirmed last; otherwise the present address, so that making it fixed is one choice. */
function draftOf({ Settings, Addresses, Gateways }: NetworkInterface): Draft {
  const present = (isWanted: (address: string) => boolean): string =>
    Addresses.find(({ Address, Origin }) => Origin !== "LinkLocal" && isWanted(Address))?.Address ?? "";
  const isV6 = (address: string): boolean => address.includes(":");
  return {
    method4: Settings?.IPv4.Method ?? "Dhcp",
    address4: Settings?.IPv4.Address ?? present((address) => !isV6(address)),
    gateway4: Settings?.IPv4.Gateway ?? Gateways.find((gateway) => !isV6(gateway)) ?? "",
    method6: Settings?.IPv6.Method ?? "Automatic",
    address6: Settings?.IPv6.Address ?? present(isV6),
    gateway6: Settings?.IPv6.Gateway ?? Gateways.find(isV6) ?? "",
    dns: (Settings?.Dns ?? []).join(" "),
    ntp: (Settings?.Ntp ?? []).join(" "),
  };
}

function settingsOf(name: string, draft: Draft) {
  const fixed = (isFixed: boolean, address: string, gateway: string) =>
    isFixed
      ? { Address: address.trim(), Gateway: gateway.trim() === "" ? null : gateway.trim() }
      : { Address: null, Gateway: null };
  return {
    Interface: name,
    IPv4: { Method: draft.method4, ...fixed(draft.method4 === "Fixed", draft.address4, draft.gateway4) },
    IPv6: { Method: draft.method6, ...fixed(draft.method6 === "Fixed", draft.address6, draft.gateway6) },
    Dns: wordsOf(draft.dns),
    Ntp: wordsOf(draft.ntp),
  };
}
