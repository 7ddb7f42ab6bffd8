import { table } from '../../kit/table.ts'

const PUBLISHED = 'Published data is the same for all organisations'

export const sources = table({ name: 'risk_sources', shared: PUBLISHED })
export const versions = table({ name: 'risk_versions', shared: PUBLISHED })
export const members = table({ name: 'risk_members', shared: PUBLISHED })
export const overrides = table({ name: 'risk_overrides', org: 'org' })
