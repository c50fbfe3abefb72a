import { useEffect, useState } from 'react';
import { onAnnouncement } from './announce.ts';

export function LiveRegion() {
  const [message, setMessage] = useState({ text: '', turn: 0 });
  useEffect(() => onAnnouncement((text) => setMessage(({ turn }) => ({ text, turn: turn + 1 }))), []);
  return (
    <div className="visually-hidden" aria-live="polite" role="status">
      {/* A new element each time: the same text twice is read twice. */}
      <span key={message.turn}>{message.text}</span>
    </div>
  );
}
