// Names of assets have a digest of their content, so that browsers may keep them forever.
import react from '@vitejs/plugin-react'

// biome-ignore lint/style/noDefaultExport: Vite reads the default export
export default {
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0, // The content security policy allows no `data:` but images.
    modulePreload: { polyfill: false }, // It would be an inline script.
    reportCompressedSize: false,
  },
}
