/** Messages for screen readers, through the one live region that `LiveRegion` renders. */
const target = new EventTarget();

export function announce(message: string): void {
  target.dispatchEvent(new CustomEvent('message', { detail: message }));
}

export function onAnnouncement(listener: (message: string) => void): () => void {
  const handle = (event: Event) => listener((event as CustomEvent<string>).detail);
  target.addEventListener('message', handle);
  return () => target.removeEventListener('message', handle);
}
