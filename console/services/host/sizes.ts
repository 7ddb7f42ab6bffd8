const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** In decimal units, as disks are sold. */
export function sizeText(bytes: number): string {
  const at = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const value = bytes / 1_000 ** at
  const maximumFractionDigits = at === 0 || value >= 100 ? 0 : 1
  return new Intl.NumberFormat(undefined, { style: 'unit', unit: UNITS[at] as string, maximumFractionDigits }).format(
    value,
  )
}
