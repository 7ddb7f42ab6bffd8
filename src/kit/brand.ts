// Brands: each is an origin of its own where people sign in.

/** How they are called. */
export const BRAND = /^[a-z][a-z0-9]{0,31}$/

/** The one that is meant where none is named. */
export const DEFAULT_BRAND = 'default'
