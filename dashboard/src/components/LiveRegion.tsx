import { useEffect, useState } from 'react';

/** Set by the one live region, which `main.tsx` renders. */
let show: (message: string) => void = () => undefined;

/** A message for screen readers. */
export const announce = (message: string): void => show(message);

export function LiveRegion() {
  const [message, setMessage] = useState({ text: '', sequence: 0 });
  useEffect(() => {
    show = (text) => setMessage(({ sequence }) => ({ text, sequence: sequence + 1 }));
  }, []);
  return (
    <div className="visually-hidden" aria-live="polite" role="status">
      {/* A new element each time, so that a repeated text is read again. */}
      <span key={message.sequence}>{message.text}</span>
    </div>
  );
}
