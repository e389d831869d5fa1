// Runs before the first paint, so that a chosen theme never flashes. Nothing chosen: the system decides, in the style sheet.
try {
  const chosen = localStorage.getItem('arc-theme')
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen
} catch {
  // Storage is forbidden here: the system decides.
}
