import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import classes from './PrintButton.module.css';

/** The print view is a style sheet: what is on the page, without controls. */
export function PrintButton() {
  return (
    <Button
      variant="default"
      size="xs"
      className={classes['print']}
      leftSection={<IconPrinter size={15} aria-hidden />}
      onClick={() => window.print()}
    >
      Print
    </Button>
  );
}
