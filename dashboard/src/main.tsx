import {
  createTheme,
  localStorageColorSchemeManager,
  MantineProvider,
  Tooltip,
} from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient, sessionQuery } from './api/query-client.ts';
import { LiveRegion } from './components/LiveRegion.tsx';
import { router } from './router.tsx';
import './theme/mantine.css';
import './theme/tokens.css';
import './theme/base.css';

/**
 * Defaults of Mantine components. Colours are in tokens.css: the Content-Security-Policy allows no
 * <style> element.
 */
const theme = createTheme({
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    // Not Modal.extend, which would load the component with the first page.
    Modal: {
      // Mantine's scroll lock inserts a <style> element; mantine.css has a rule in its place.
      defaultProps: {
        lockScroll: false,
        closeButtonProps: { 'aria-label': 'Close' },
        centered: true,
        transitionProps: { duration: 100 },
        overlayProps: { backgroundOpacity: 0.45 },
      },
    },
    // A <header> in a dialog would be a second banner of the page.
    ModalHeader: { defaultProps: { component: 'div' } },
    DrawerHeader: { defaultProps: { component: 'div' } },
    // Otherwise a menu begins with an empty element that takes the focus and has no role.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // Fields that may stay empty say so.
    InputWrapper: { defaultProps: { withAsterisk: false } },
    Tooltip: Tooltip.extend({
      defaultProps: { transitionProps: { duration: 80 }, openDelay: 250 },
    }),
  },
});

/** The same entry that public/theme.js reads before the first paint. */
const colorSchemeManager = localStorageColorSchemeManager({ key: 'whence-theme' });

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id root');

// Requested while the page's script is still loading. RequireSession shows a failure and retries.
void queryClient.prefetchQuery(sessionQuery);

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      {/* Without its <style> elements, which the Content-Security-Policy refuses: mantine.css has the variables. */}
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        colorSchemeManager={colorSchemeManager}
        withCssVariables={false}
        withGlobalClasses={false}
      >
        <RouterProvider router={router} />
        <LiveRegion />
      </MantineProvider>
    </QueryClientProvider>
  </StrictMode>,
);
