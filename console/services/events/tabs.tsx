import { Tabs } from '../../parts/tabs.tsx'

export const ABOUT = 'What happens in your pages and servers. Each event is stored before the host answers.'
export const WITHIN_EVENTS = [{ label: 'Events', path: 'events' }]

export const EventTabs = () => (
  <Tabs
    label="Events"
    of={[
      ['events', 'Newest'],
      ['events/names', 'Names'],
      ['events/search', 'Search'],
      ['events/sending', 'Sending and settings'],
    ]}
  />
)
