import { useSignal } from "@preact/signals";
import { Button } from "./button.js";

interface RemoveButtonProps {
  readonly words: string;
  /** At the second press: what is lost. */
  readonly sure: string;
  readonly onRemove: () => Promise<void>;
}

/** Removes at the second press: the first one says what is lost. */
export function RemoveButton({ words, sure, onRemove }: RemoveButtonProps) {
  const isSure = useSignal(false);
  return (
    <Button
      kind="danger"
      onClick={() => {
        if (isSure.value) void onRemove();
        isSure.value = true;
      }}
    >
      {isSure.value ? sure : words}
    </Button>
  );
}
