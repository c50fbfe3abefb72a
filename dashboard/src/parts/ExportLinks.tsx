import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';

/** Files that the server makes: an ordinary link, so that the browser saves it. */
export function ExportLinks({ addressOf }: { addressOf: (format: 'csv' | 'ndjson') => string }) {
  return (['csv', 'ndjson'] as const).map((format) => (
    <Button
      key={format}
      component="a"
      href={addressOf(format)}
      download
      variant="default"
      size="xs"
      leftSection={<IconDownload size={15} aria-hidden />}
    >
      {format.toUpperCase()}
    </Button>
  ));
}
