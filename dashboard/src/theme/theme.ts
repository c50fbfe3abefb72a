/** Defaults of Mantine components. Colours are in tokens.css: the Content-Security-Policy admits no <style> element. */
import { createTheme, localStorageColorSchemeManager, Modal, Tooltip } from '@mantine/core';

export const theme = createTheme({
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Modal: Modal.extend({
      // Mantine's scroll lock inserts a <style> element; mantine.css has a rule in its place.
      defaultProps: {
        lockScroll: false,
        closeButtonProps: { 'aria-label': 'Close' },
        centered: true,
        transitionProps: { duration: 100 },
        overlayProps: { backgroundOpacity: 0.45 },
      },
    }),
    Tooltip: Tooltip.extend({ defaultProps: { transitionProps: { duration: 80 }, openDelay: 250 } }),
  },
});

/** The same entry that public/theme.js reads before the first paint. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'whence-theme' });
