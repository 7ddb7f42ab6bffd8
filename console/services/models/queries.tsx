import { queryOptions } from '@tanstack/react-query'
import { stoa } from '../../api.ts'
import { Tabs } from '../../parts/tabs.tsx'

export const WITHIN = [{ label: 'Models', path: 'models' }]

export const ModelTabs = () => (
  <Tabs
    label="Models"
    of={[
      ['models', 'Requests'],
      ['models/playground', 'Playground'],
      ['models/catalogue', 'Models and prices'],
      ['models/routing', 'Aliases and fallbacks'],
    ]}
  />
)

export const models = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => stoa.listModels({}, { signal }),
})

export const aiSettings = queryOptions({
  queryKey: ['ai-settings'],
  queryFn: ({ signal }) => stoa.getAiSettings({}, { signal }),
})
