/** What is wrong, said aloud when it changes; empty while nothing is. */
export function Fault({ text }: { readonly text: string }) {
  return (
    <p class="fault" role="alert">
      {text}
    </p>
  );
}
