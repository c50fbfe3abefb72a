import { useEffect, useState } from 'react';

/** Messages for screen readers, through the one live region that `LiveRegion` renders. */
const target = new EventTarget();

export function announce(message: string): void {
  target.dispatchEvent(new CustomEvent('message', { detail: message }));
}

function onAnnouncement(listener: (message: string) => void): () => void {
  const handle = (event: Event) => listener((event as CustomEvent<string>).detail);
  target.addEventListener('message', handle);
  return () => target.removeEventListener('message', handle);
}

export function LiveRegion() {
  const [message, setMessage] = useState({ text: '', sequence: 0 });
  useEffect(() => onAnnouncement((text) => setMessage(({ sequence }) => ({ text, sequence: sequence + 1 }))), []);
  return (
    <div className="visually-hidden" aria-live="polite" role="status">
      {/* A new element each time, so that a repeated text is read again. */}
      <span key={message.sequence}>{message.text}</span>
    </div>
  );
}
