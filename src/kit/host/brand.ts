// Brands: each has its own origin where people sign in.

/** The pattern of a brand's name. */
export const BRAND = /^[a-z][a-z0-9]{0,31}$/

/** Used where no brand is named. */
export const DEFAULT_BRAND = 'default'
