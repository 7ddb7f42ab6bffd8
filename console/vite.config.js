// Names of assets have a digest of their content, so that browsers may keep them forever.
import react from '@vitejs/plugin-react'

// biome-ignore lint/style/noDefaultExport: Vite reads the default export
export default {
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    target: 'es2022',
    manifest: 'files.txt', // What each screen needs, for the test of the sizes. It is not served.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'], // These know `light-dark()`, so that a part of a page can have another theme.
    assetsInlineLimit: 0, // The content security policy allows no `data:` but images.
    modulePreload: { polyfill: false }, // It would be an inline script.
    reportCompressedSize: false,
  },
}
