import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';

/** The print view is a style sheet: what is on the page, without controls. */
export function PrintButton() {
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconPrinter size={15} aria-hidden />}
      onClick={() => window.print()}
    >
      Print
    </Button>
  );
}
