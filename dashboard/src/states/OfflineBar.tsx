import { useNetwork } from '@mantine/hooks';
import { IconWifiOff } from '@tabler/icons-react';
import classes from './OfflineBar.module.css';

/** The browser's own word on the connection; a server that does not answer is reported where it was asked. */
export function OfflineBar() {
  const { online } = useNetwork();
  if (online) return null;
  return (
    <div className={classes['bar']} role="status">
      <IconWifiOff size={16} aria-hidden />
      This device is offline. What is on the page stays; new look-ups wait for the connection.
    </div>
  );
}
