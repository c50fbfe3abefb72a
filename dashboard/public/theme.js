(() => {
  let choice = null;
  try {
    choice = localStorage.getItem('whence-theme');
  } catch {
    // Storage may be blocked; then the system's theme applies.
  }
  const isDark =
    choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
})();
