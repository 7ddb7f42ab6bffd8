// Where a screen is: below the organisation of the session, or, if its path begins with a slash, below the root.
export const placeOf = (org: string, path: string) =>
  path.startsWith('/') ? { to: path } : { to: '/o/$org/$', params: { org, _splat: path } }
