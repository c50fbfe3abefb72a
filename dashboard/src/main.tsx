import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient, sessionQuery } from './api/query-client.ts';
import { LiveRegion } from './copy/LiveRegion.tsx';
import { router } from './router.tsx';
import './theme/mantine.css';
import './theme/tokens.css';
import './theme/base.css';
import { colorSchemeManager, theme } from './theme/theme.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id root');

// Asked while the script of the page is still on its way. A failure is shown by Gate, which asks again.
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
